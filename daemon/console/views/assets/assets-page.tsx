import type { JSX } from 'preact';

import { fill } from '../../text/fill.ts';
import { SHELL } from '../../text/shell.ts';

/** The assets, and the channels of one. */
export function AssetsPage(): JSX.Element {
  return <h1>{fill(SHELL.assets)}</h1>;
}
