import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { ChannelRecord, listChannels } from '../../../interface/plant/assets.ts';
import { useRecordedHistory } from '../../live/use-recorded-history.ts';
import { changePin, hasPin, MAXIMUM_PINS, personalSettings } from '../../live/personal-settings.ts';
import { useLiveValues } from '../../live/live-values.ts';
import { nameCause } from '../../parts/gateway-words.ts';
import { saveFile } from '../../parts/save-file.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { route, setQuery } from '../../parts/route.ts';
import { explainStreamEnd } from '../../parts/stream-words.ts';
import { useNow } from '../../parts/use-now.ts';
import { useResource } from '../../parts/use-resource.ts';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatCount, formatTime, isUtc } from '../../text/format.ts';
import { formatExactly } from '../../text/value-text.ts';
import { AssetHeading } from './asset-head.tsx';
import { writeChannelCsv } from './channel-csv.ts';
import { useLastWrites } from './use-last-writes.ts';
import { useChannelOrder } from './channel-order.ts';
import type { Sorting } from './channel-order.ts';
import { decimalsOf, toneOf, toRow } from './channel-row.ts';
import type { ChannelRow } from './channel-row.ts';
import { ChannelTable } from './channel-table.tsx';
import { useAssetStatus } from './use-assets.ts';
import { WritePanel } from './write-panel.tsx';

type Choice = 'all' | 'writable' | 'bad';

const FRESH_MS = 20_000;
// The first values of many channels arrive in several messages.
const COMPLETE_AFTER_MS = 2000;

/** Asset: its channels with live values, and writes. */
export function AssetView({ pid }: { readonly pid: string }): JSX.Element {
  const { rest, session } = useConsole();
  const channels = useResource(pid, (abort) =>
    rest.call<typeof listChannels>('GET', `/services/assets/${encodeURIComponent(pid)}`, { abort }),
  );
  const assets = useMemo(() => [pid], [pid]);
  const live = useLiveValues(assets);
  const shownAssets = useMemo(() => [{ asset: pid, names: undefined }], [pid]);
  useRecordedHistory(live, shownAssets);
  const nowMs = useNow();
  const lastWrites = useLastWrites(pid);
  const [isPinsFull, setPinsFull] = useState(false);
  const [written, setWritten] = useState<string | undefined>(undefined);
  const table = useRef<HTMLDivElement>(null);
  const wasWritten = useRef(false);
  useLayoutEffect(() => {
    // Closing the panel returns the focus to where it was opened.
    if (written === undefined && wasWritten.current)
      table.current?.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true });
    wasWritten.current = written !== undefined;
  }, [written]);
  // Rerender the rows when values arrive.
  void live.paint.value;
  const values = live.valuesOf(pid);
  const status = useAssetStatus(pid, values);

  const isFresh =
    live.state.value.kind === 'LIVE' &&
    rest.link.state.value.isUp &&
    nowMs - live.heardMs < FRESH_MS &&
    status?.driver.state === 'CONNECTED';
  const { kind, sinceMs } = live.state.value;
  const isLoading = kind === 'OPENING' || (kind === 'LIVE' && nowMs - sinceMs < COMPLETE_AFTER_MS);
  const stream = isFresh ? 'FRESH' : 'LATE';
  const rows = (channels.value ?? []).map((channel) => {
    const value = values.get(channel.name);
    return toRow(channel, value, value === undefined && isLoading ? 'LOADING' : stream);
  });
  const { query } = route.value;
  const filter = query.get('filter') ?? '';
  const choice = (query.get('show') ?? 'all') as Choice;
  const sorting = readSorting(query.get('sort'));
  const found = useFound(channels.value, filter);
  const ordered = useChannelOrder(rows, sorting);
  const shown =
    found === undefined && choice === 'all'
      ? ordered
      : ordered.filter((row) => found?.has(row.channel) !== false && isChosen(row, choice));
  const counts = countRows(rows);
  const widest = useMemo(() => findWidest(channels.value ?? []), [channels.value]);
  const pin = (channel: string): void => {
    const wanted = { asset: pid, channel };
    const isPinned = hasPin(wanted);
    const isFull = !isPinned && (personalSettings.value.pins ?? []).length >= MAXIMUM_PINS;
    setPinsFull(isFull);
    if (!isFull) changePin(rest, wanted, !isPinned);
  };
  const saveCsv = (): void => {
    const csv = writeChannelCsv(pid, shown, isUtc.value);
    saveFile(`${pid}.csv`, new Blob([csv], { type: 'text/csv;charset=utf-8' }));
  };
  const describeLastWrite = (channel: string): string => {
    const last = lastWrites.find(channel);
    if (last === undefined) return '';
    const { identity, timeMs, value, failureCode } = last;
    const isFraction = /^-?\d+\.\d+$/.test(value);
    const head = {
      identity,
      time: formatTime(timeMs),
      value: isFraction ? formatExactly(Number(value), undefined) : value,
    };
    return failureCode === undefined
      ? fill(ASSETS.lastWrite, head)
      : fill(ASSETS.lastWriteFailed, { ...head, code: nameCause(failureCode) });
  };
  const target = written === undefined ? undefined : rows.find(({ channel }) => channel.name === written);

  return (
    <>
      <AssetHeading pid={pid} status={status}>
        {counts.all === 0 || counts.loading > 0 || !rest.link.state.value.isUp ? undefined : (
          <span class="soft">
            {fill(ASSETS.ofGood, {
              good: formatCount(counts.good),
              all: formatCount(counts.all),
            })}
          </span>
        )}
      </AssetHeading>
      {channels.error === undefined ? undefined : (
        <FailureNotice error={channels.error} onRetry={channels.reload} />
      )}
      {live.state.value.kind === 'LOST' && live.state.value.cause.reason !== '' ? (
        <Notice level="attention">
          {fill(ASSETS.streamLost, { time: formatTime(live.state.value.sinceMs) })}{' '}
          {explainStreamEnd(live.state.value.cause)}
        </Notice>
      ) : undefined}
      {channels.value === undefined ? undefined : (
        <>
          <Choices counts={counts} filter={filter} choice={choice} onCsv={saveCsv} />
          {isPinsFull ? (
            <Notice level="attention">{fill(ASSETS.pinsFull, { count: MAXIMUM_PINS })}</Notice>
          ) : undefined}
          <div class="live-table" ref={table}>
            <ChannelTable
              pid={pid}
              rows={shown}
              widest={widest}
              sorting={sorting}
              onWrite={setWritten}
              onPin={pin}
              decodedBy={
                status?.driver.type === 'modbus' && session.may('rest.configuration')
                  ? status.driver.pid
                  : undefined
              }
              // The panel of a write says it as well.
              describeLastWrite={(name) => (name === target?.channel.name ? '' : describeLastWrite(name))}
              empty={describeEmpty(counts, choice, filter)}
            />
          </div>
        </>
      )}
      {channels.value === undefined && channels.error === undefined ? <Outline rows={6} /> : undefined}
      {target === undefined ? undefined : (
        <WritePanel
          key={target.channel.name}
          pid={pid}
          row={target}
          lastWrite={describeLastWrite(target.channel.name)}
          onWritten={lastWrites.reload}
          onClose={() => setWritten(undefined)}
        />
      )}
    </>
  );
}

/** Explains why no row is shown. */
function describeEmpty(counts: RowCounts, choice: Choice, filter: string): string | JSX.Element {
  if (counts.all === 0) return fill(ASSETS.noChannels);
  if (filter !== '') return fill(ASSETS.noMatch, { filter });
  if (choice === 'writable') return fill(ASSETS.nothingWritable);
  return counts.loading > 0 ? <Outline /> : fill(ASSETS.nothingBad);
}

/** Returns the channels whose name contains a text; undefined: all. */
function useFound(
  channels: readonly ChannelRecord[] | undefined,
  filter: string,
): ReadonlySet<ChannelRecord> | undefined {
  return useMemo(() => {
    if (filter === '') return undefined;
    const sought = filter.toLowerCase();
    const hasIt = ({ name, displayName = '' }: ChannelRecord): boolean =>
      `${name} ${displayName}`.toLowerCase().includes(sought);
    return new Set(channels?.filter(hasIt));
  }, [channels, filter]);
}

function isChosen(row: ChannelRow, choice: Choice): boolean {
  if (choice === 'all') return true;
  if (choice === 'writable') return row.channel.type !== 'READ';
  const tone = toneOf(row);
  return tone === 'fault' || tone === 'attention';
}

function readSorting(text: string | null): Sorting {
  return text === 'value' || text === '-value' ? text : '';
}

/** Number of rows by state. */
interface RowCounts extends Readonly<Record<Choice, number>> {
  readonly good: number;
  /** Without any data yet. */
  readonly loading: number;
}

// One pass: this runs on every render, for up to 10,000 channels.
function countRows(rows: readonly ChannelRow[]): RowCounts {
  let [good, writable, bad, loading] = [0, 0, 0, 0];
  for (const row of rows) {
    if (row.state === 'LOADING') loading += 1;
    if (row.state === 'GOOD') good += 1;
    if (isChosen(row, 'writable')) writable += 1;
    if (isChosen(row, 'bad')) bad += 1;
  }
  return { all: rows.length, good, writable, bad, loading };
}

/** Returns the maximum decimals of all channels. */
function findWidest(channels: readonly ChannelRecord[]): number {
  return channels.reduce((most, channel) => Math.max(most, decimalsOf(channel) ?? 0), 0);
}

const CHOICES = { all: ASSETS.all, writable: ASSETS.writable, bad: ASSETS.bad } as const;

function Choices({
  counts,
  filter,
  choice,
  onCsv,
}: Readonly<{ counts: RowCounts; filter: string; choice: Choice; onCsv: () => void }>): JSX.Element {
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
          {fill(CHOICES[each], {
            count: each === 'bad' && counts.loading > 0 ? '' : formatCount(counts[each]),
          }).trim()}
        </button>
      ))}
      <button type="button" onClick={onCsv}>
        {fill(ASSETS.saveCsv)}
      </button>
    </div>
  );
}
