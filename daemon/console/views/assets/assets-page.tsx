import type { JSX } from 'preact';

import { route, linkTo } from '../../parts/route.ts';
import { AssetView } from './asset-view.tsx';
import { useConsole } from '../../api/console-context.ts';
import { shownListedAsset } from '../../parts/connection-state.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { ASSETS } from '../../text/assets.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import type { PageProps } from '../pages.ts';
import { useAssets } from './use-assets.ts';
import type { AssetHead } from './use-assets.ts';

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
      {value === undefined ? undefined : <AssetTable assets={value} />}
    </>
  );
}

/** Table of assets; explains the next step if empty. */
function AssetTable({ assets }: { readonly assets: readonly AssetHead[] }): JSX.Element {
  const { session } = useConsole();
  if (assets.length === 0) {
    const isAll = session.may('rest.assets') || session.may('rest.assets.read');
    return (
      <p class="soft">{isAll ? `${fill(ASSETS.none)} ${fill(ASSETS.noneHint)}` : fill(ASSETS.noneGranted)}</p>
    );
  }
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{fill(ASSETS.asset)}</th>
          <th scope="col">{fill(ASSETS.connection)}</th>
          <th scope="col">{fill(ASSETS.state)}</th>
        </tr>
      </thead>
      <tbody>
        {assets.map(({ pid, status }) => (
          <tr key={pid}>
            <td>
              <a href={linkTo(['assets', pid])}>{pid}</a>
              {status.displayName === undefined ? undefined : <span class="soft"> {status.displayName}</span>}
            </td>
            <td class="values">{`${status.driver.pid}  ${status.driver.type}`}</td>
            <td>
              <StateWord {...shownListedAsset(status)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
