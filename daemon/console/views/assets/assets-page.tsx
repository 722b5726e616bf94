import type { JSX } from 'preact';

import { route } from '../../parts/route.ts';
import { AssetTable } from '../overview/asset-table.tsx';
import { AssetView } from './asset-view.tsx';
import { FailureNotice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import type { PageProps } from '../pages.ts';
import { useAssets } from './use-assets.ts';

/** List of assets, and the view of one. */
export function AssetsPage({ title }: PageProps): JSX.Element {
  const [, pid] = route.value.parts;
  return pid === undefined ? <AssetList title={title} /> : <AssetView key={pid} pid={pid} />;
}

/** Assets with their connection states. */
function AssetList({ title }: PageProps): JSX.Element {
  const { value, error, reload } = useAssets();
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : <AssetTable assets={value} isFolded={false} />}
    </>
  );
}
