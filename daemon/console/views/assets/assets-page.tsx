import type { JSX } from 'preact';

import { route } from '../../parts/route.ts';
import { AssetList } from './asset-list.tsx';
import { AssetView } from './asset-view.tsx';

/** The assets, and the channels of one. */
export function AssetsPage(): JSX.Element {
  const [, pid] = route.value.parts;
  return pid === undefined ? <AssetList /> : <AssetView key={pid} pid={pid} />;
}
