import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { AssetStatus, ChannelRecord } from '../../api/types.ts';
import { useLiveValues } from '../../live/use-live-values.ts';
import { shownAsset } from '../../parts/connection-state.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { linkTo, route, setQuery } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { useNow } from '../../parts/use-now.ts';
import { useResource } from '../../parts/use-resource.ts';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatCount, formatTime } from '../../text/format.ts';
import { decimalsOf, toRow } from './channel-row.ts';
import type { ChannelRow } from './channel-row.ts';
import { ChannelTable } from './channel-table.tsx';
import { WritePanel } from './write-panel.tsx';

type Choice = 'all' | 'writable' | 'bad';

const FRESH_MS = 20_000;

/** One asset: its channels with their live values, and writing them. */
export function AssetView({ pid }: { readonly pid: string }): JSX.Element {
  const { rest } = useConsole();
  const path = `/services/assets/${encodeURIComponent(pid)}`;
  const channels = useResource(pid, (abort) => rest.get<readonly ChannelRecord[]>(path, abort));
  const status = useResource(pid, (abort) => rest.get<AssetStatus>(`${path}/_status`, abort), {
    everyMs: 5000,
  });
  const assets = useMemo(() => [pid], [pid]);
  const live = useLiveValues(assets);
  const nowMs = useNow();
  const [written, setWritten] = useState<string | undefined>(undefined);
  // Repaints the rows when values came.
  void live.paint.value;

  const isFresh =
    live.state.value.kind === 'LIVE' &&
    rest.link.state.value.isUp &&
    nowMs - live.heardMs < FRESH_MS &&
    status.value?.driver.state === 'CONNECTED';
  const rows = (channels.value ?? []).map((channel) =>
    toRow(channel, live.find(pid, channel.name), {
      nowMs: rest.gatewayNowMs(),
      isFresh,
      decimals: decimalsOf(channel),
    }),
  );
  const filter = route.value.query.get('filter') ?? '';
  const choice = (route.value.query.get('show') ?? 'all') as Choice;
  const shown = select(rows, filter, choice);
  const target = rows.find(({ channel }) => channel.name === written);

  return (
    <>
      <header class="asset-head">
        <h1>
          <a href={linkTo(['assets'])} aria-label={fill(ASSETS.back)}>
            ‹
          </a>{' '}
          {status.value?.displayName ?? pid}
        </h1>
        {status.value === undefined ? undefined : (
          <>
            <span class="values soft">{status.value.driver.pid}</span>
            <StateWord {...shownAsset(status.value.driver, status.value.units)} />
          </>
        )}
        <span class="soft">
          {fill(ASSETS.ofGood, {
            good: formatCount(rows.filter(({ tone }) => tone === 'good').length),
            all: formatCount(rows.length),
          })}
        </span>
      </header>
      {channels.error === undefined ? undefined : (
        <FailureNotice error={channels.error} onRetry={channels.reload} />
      )}
      {live.state.value.kind === 'LOST' && live.state.value.reason !== '' ? (
        <Notice level="attention">
          {fill(ASSETS.streamLost, { time: formatTime(live.state.value.sinceMs) })} {live.state.value.reason}
        </Notice>
      ) : undefined}
      <Choices rows={rows} filter={filter} choice={choice} />
      <ChannelTable
        pid={pid}
        rows={shown}
        historyOf={(name) => live.historyOf(pid, name)}
        onWrite={setWritten}
        empty={choice === 'bad' && filter === '' ? fill(ASSETS.nothingBad) : fill(ASSETS.noMatch, { filter })}
      />
      {target === undefined ? undefined : (
        <WritePanel key={target.channel.name} pid={pid} row={target} onClose={() => setWritten(undefined)} />
      )}
    </>
  );
}

function select(rows: readonly ChannelRow[], filter: string, choice: Choice): readonly ChannelRow[] {
  const sought = filter.toLowerCase();
  return rows.filter(({ channel, tone }) => {
    if (!`${channel.name} ${channel.displayName ?? ''}`.toLowerCase().includes(sought)) return false;
    if (choice === 'writable') return channel.type !== 'READ';
    return choice === 'all' || tone === 'fault' || tone === 'attention';
  });
}

interface ChoicesProps {
  readonly rows: readonly ChannelRow[];
  readonly filter: string;
  readonly choice: Choice;
}

function Choices({ rows, filter, choice }: ChoicesProps): JSX.Element {
  const counts: Readonly<Record<Choice, number>> = {
    all: rows.length,
    writable: select(rows, '', 'writable').length,
    bad: select(rows, '', 'bad').length,
  };
  return (
    <div class="tools choices">
      <label>
        <span class="hidden">{fill(ASSETS.filter)}</span>
        <input
          type="search"
          placeholder={fill(ASSETS.filter)}
          value={filter}
          onInput={({ currentTarget }) => setQuery('filter', currentTarget.value)}
        />
      </label>
      {(['all', 'writable', 'bad'] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={choice === each}
          onClick={() => setQuery('show', each === 'all' ? '' : each)}
        >
          {fill(ASSETS[each], { count: formatCount(counts[each]) })}
        </button>
      ))}
    </div>
  );
}
