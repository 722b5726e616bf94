import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { AssetStatus, ListedAssetStatus } from '../../../interface/plant/asset-status.ts';
import { shownListedAsset } from '../../parts/connection-state.ts';
import { linkTo, route, setQuery } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { nameOfProtocol } from '../../text/settings/protocols.ts';
import { formatCount, formatTime } from '../../text/format.ts';
import { OVERVIEW } from '../../text/overview.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { arrangeAssets } from './asset-order.ts';

interface AssetTableProps {
  readonly assets: readonly AssetHead[];
  /** True if assets without trouble are folded into one line. */
  readonly isFolded: boolean;
}

// More rows would delay every refresh.
const ROWS_AT_ONCE = 200;

/** Assets with their states, troubled ones first, and the number of good channels if known without device requests. */
export function AssetTable({ assets, isFolded }: AssetTableProps): JSX.Element {
  const { session } = useConsole();
  const [isWhole, setWhole] = useState(!isFolded);
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const filter = route.value.query.get('filter') ?? '';
  if (assets.length === 0) {
    const isAll = session.may('rest.assets') || session.may('rest.assets.read');
    const words = isAll ? `${fill(ASSETS.none)} ${fill(ASSETS.noneHint)}` : fill(ASSETS.noneGranted);
    return (
      <p class="soft">
        {words}{' '}
        {session.may('rest.configuration') ? (
          <a href={linkTo(['devices'])}>{fill(OVERVIEW.connectDevice)}</a>
        ) : undefined}
      </p>
    );
  }
  const { rows, folded } = arrangeAssets(assets, { filter, isWhole });
  const shown = rows.slice(0, most);
  return (
    <>
      <div class="tools choices">
        <label>
          <span class="hidden">{fill(OVERVIEW.filterAssets)}</span>
          <input
            type="search"
            placeholder={fill(OVERVIEW.filterAssets)}
            value={filter}
            onInput={({ currentTarget }) => setQuery('filter', currentTarget.value)}
          />
        </label>
        <span class="soft" role="status">
          {filter === '' ? undefined : fill(OVERVIEW.matches, { count: rows.length, all: assets.length })}
        </span>
      </div>
      {shown.length === 0 ? undefined : (
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
            {shown.map((head) => (
              <AssetRow key={head.pid} {...head} />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > most ? (
        <button type="button" class="plain" onClick={() => setMost(most + ROWS_AT_ONCE)}>
          {fill(OVERVIEW.moreAssets, { count: Math.min(ROWS_AT_ONCE, rows.length - most) })}
        </button>
      ) : undefined}
      {folded.length === 0 ? undefined : (
        <p class="tools folded">
          <span>{folded.map(({ words, count }) => `${formatCount(count)} ${words}`).join(', ')}</span>
          <button type="button" class="plain" onClick={() => setWhole(true)}>
            {fill(OVERVIEW.more, { count: formatCount(assets.length) })}
          </button>
        </p>
      )}
      {isFolded && isWhole ? (
        <button type="button" class="plain" onClick={() => setWhole(false)}>
          {fill(OVERVIEW.fold)}
        </button>
      ) : undefined}
      {shown.length === 0 ? undefined : <p class="faint">{fill(OVERVIEW.goodHint)}</p>}
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
      <td>
        {status.driver.pid} <span class="soft">{nameOfProtocol(status.driver.type)}</span>
      </td>
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
