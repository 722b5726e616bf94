import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { AssetStatus, ListedAssetStatus } from '../../../interface/plant/asset-status.ts';
import { shownListedAsset } from '../../parts/connection-state.ts';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatCount, formatTime } from '../../text/format.ts';
import { OVERVIEW } from '../../text/overview.ts';
import type { AssetHead } from '../assets/use-assets.ts';

/** Assets with their states, and the number of good channels if known without device requests. */
export function OverviewAssets({ assets }: { readonly assets: readonly AssetHead[] }): JSX.Element {
  const { session } = useConsole();
  if (assets.length === 0) {
    const isAll = session.may('rest.assets') || session.may('rest.assets.read');
    const words = isAll ? `${fill(ASSETS.none)} ${fill(ASSETS.noneHint)}` : fill(ASSETS.noneGranted);
    return (
      <p class="soft">
        {words}{' '}
        {session.may('rest.configuration') ? (
          <a href={linkTo(['commission'])}>{fill(OVERVIEW.connectDevice)}</a>
        ) : undefined}
      </p>
    );
  }
  return (
    <>
      <table class="overview-assets">
        <thead>
          <tr>
            <th scope="col">{fill(ASSETS.asset)}</th>
            <th scope="col">{fill(ASSETS.connection)}</th>
            <th scope="col">{fill(ASSETS.state)}</th>
            <th scope="col" class="number">
              {fill(OVERVIEW.goodOfAll)}
            </th>
            <th scope="col">{fill(OVERVIEW.lastChange)}</th>
          </tr>
        </thead>
        <tbody>
          {assets.map((head) => (
            <AssetRow key={head.pid} {...head} />
          ))}
        </tbody>
      </table>
      <p class="faint">{fill(OVERVIEW.goodHint)}</p>
    </>
  );
}

function AssetRow({ pid, status }: AssetHead): JSX.Element {
  return (
    <tr>
      <td>
        <a href={linkTo(['assets', pid])}>{pid}</a>
        {status.displayName === undefined ? undefined : <span class="soft"> {status.displayName}</span>}
      </td>
      <td class="values">{`${status.driver.pid}  ${status.driver.type}`}</td>
      <td>
        <StateWord {...shownListedAsset(status)} />
      </td>
      <td class="number values">{describeGood(status)}</td>
      <td class="values">{describeTime(status)}</td>
    </tr>
  );
}

/** Describes the number of good channels: none without response, otherwise unknown without a read. */
function describeGood(status: ListedAssetStatus): string {
  const isDown = status.driver.lostSince !== undefined;
  const units = status.units.filter(({ isUsed }) => isUsed);
  const isSilent = units.length > 0 && units.every(({ state }) => state === 'SUSPENDED');
  return `${isDown || isSilent ? 0 : '–'} / ${formatCount(status.channels)}`;
}

/** Describes the start of the displayed state: of the suspended unit, or of the connection. */
function describeTime(status: AssetStatus): string {
  const { driver, units } = status;
  const suspended = units.find(({ state, isUsed }) => isUsed && state === 'SUSPENDED');
  const since = suspended === undefined ? (driver.lostSince ?? driver.since) : suspended.silentSince;
  return since === undefined ? '–' : formatTime(since);
}
