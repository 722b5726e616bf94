import { useRef } from 'preact/hooks';

import type { ChannelRow } from './channel-row.ts';

/** Sort order of an asset's channels: as configured, or by value. */
export type Sorting = '' | 'value' | '-value';

// A table is only readable if its rows stay in place for a while.
const EVERY_MS = 5000;

interface KeptOrder {
  readonly sorting: Sorting;
  readonly count: number;
  /** Number of rows with a value. */
  readonly known: number;
  readonly atMs: number;
  /** Rows in configuration order. */
  readonly positions: readonly number[];
}

/**
 * Returns rows in display order. The order by value is updated every five seconds, but not while the
 * pointer or the focus is on the rows.
 *
 * @param rows in configuration order
 */
export function useChannelOrder(rows: readonly ChannelRow[], sorting: Sorting): readonly ChannelRow[] {
  const kept = useRef<KeptOrder | undefined>(undefined);
  if (sorting === '') return rows;
  const nowMs = Date.now();
  const known = rows.filter(({ live }) => live?.lastGood !== undefined).length;
  const { current } = kept;
  const isSame = current?.sorting === sorting && current.count === rows.length;
  const isDue = isSame && nowMs - current.atMs >= EVERY_MS && !isLookedAt();
  // A page opened by a link has no values at first, so there is no order to preserve.
  if (!isSame || isDue || current.known < known) {
    // Values seldom change their order: the previous order is nearly sorted.
    const former = isSame ? current.positions : rows.map((_row, position) => position);
    kept.current = {
      sorting,
      count: rows.length,
      known,
      atMs: nowMs,
      positions: sortByValue(former, rows, sorting),
    };
  }
  return (kept.current?.positions ?? []).flatMap((position) => rows[position] ?? []);
}

function isLookedAt(): boolean {
  return document.querySelector('.grid:focus, .grid-rows:hover, .grid-rows:focus-within') !== null;
}

function sortByValue(
  positions: readonly number[],
  rows: readonly ChannelRow[],
  sorting: Exclude<Sorting, ''>,
): readonly number[] {
  const keys = rows.map(({ live }) => toKey(live?.lastGood?.value));
  const sign = sorting === '-value' ? -1 : 1;
  return positions.toSorted((a, b) => compareKeys(keys[a], keys[b], sign) || a - b);
}

type SortKey = number | string | undefined;

function toKey(value: string | number | boolean | undefined): SortKey {
  if (typeof value === 'boolean') return Number(value);
  // Numbers with more digits than a double holds are reported as strings.
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
}

/** Numbers precede texts; rows without a value are last in both directions. */
function compareKeys(a: SortKey, b: SortKey, sign: 1 | -1): number {
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a === b ? 0 : a < b ? -sign : sign;
}
