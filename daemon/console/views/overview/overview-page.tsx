import type { JSX } from 'preact';

import { fill } from '../../text/fill.ts';
import { SHELL } from '../../text/shell.ts';

/** What needs somebody first, then assets, connections and events. */
export function OverviewPage(): JSX.Element {
  return <h1>{fill(SHELL.overview)}</h1>;
}
