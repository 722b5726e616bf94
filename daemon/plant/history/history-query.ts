import type { Clock } from '../../base/clock.ts';
import type { Gap } from '../journal/sample.ts';
import type { BlockSource, SourceRange } from './block-source.ts';
import type { Aggregate, BucketRow } from './bucket-order.ts';
import { BucketOrder } from './bucket-order.ts';
import type { HistoryTables } from './history-tables.ts';
import { SampleOrder } from './sample-order.ts';
import type { SampleRow } from './sample-order.ts';

const GAPS_IN_PAGE = 256;
const TURN_MS = 2;

/** Samples that a reader wants. */
export interface HistoryQuery extends SourceRange {
  /** Maximum number of rows; those of the same time are not parted. */
  readonly limit: number;
  /** Absent: the samples themselves. */
  readonly buckets?: { readonly bucketMs: number; readonly aggregate: Aggregate } | undefined;
  /** Gives the gaps after all other rows. */
  readonly hasGapsLast?: boolean;
}

/** A row of an answer; the last one says where the next page begins, if there is one. */
export type HistoryRow =
  | SampleRow
  | BucketRow
  | { readonly type: 'GAP'; readonly gap: Gap }
  | { readonly type: 'NEXT'; readonly fromMs: number };

/**
 * Reads rows in the order of time; gaps stand before the first row that is not earlier than their beginning.
 *
 * @param signal ends the reading without an error
 */
export async function* readHistory(
  {
    tables,
    source,
    clock,
  }: { readonly tables: HistoryTables; readonly source: BlockSource; readonly clock: Clock },
  query: HistoryQuery,
  signal?: AbortSignal,
): AsyncGenerator<readonly HistoryRow[], void, undefined> {
  const { buckets, limit } = query;
  const order =
    buckets === undefined ? new SampleOrder(query, limit) : new BucketOrder(query, buckets, limit);
  const gaps = new GapMerge(tables, query, source.damaged);
  let turnMs = clock.monotonicMs();
  for (const block of source.list()) {
    const rows = order.release(block.statistics.fromMs);
    if (rows.length > 0) yield gaps.merge(rows);
    if (order.nextMs !== undefined || block.statistics.fromMs > order.cutoffMs) break;
    order.take(block);
    if (clock.monotonicMs() - turnMs >= TURN_MS) {
      await clock.spareTurn();
      turnMs = clock.monotonicMs();
    }
    if (signal?.aborted === true) return;
  }
  yield gaps.merge(order.release(Infinity));
  for (;;) {
    const page = gaps.takePage(order.nextMs ?? query.toMs);
    if (page.length === 0) break;
    yield page;
    await clock.spareTurn();
    if (signal?.aborted === true) return;
  }
  if (order.nextMs !== undefined) yield [{ type: 'NEXT', fromMs: order.nextMs }];
}

function beginOf(row: SampleRow | BucketRow): number {
  return row.type === 'SAMPLE' ? row.timeMs : row.bucket.fromMs;
}

/** Puts gaps between rows. */
class GapMerge {
  readonly #tables: HistoryTables;
  readonly #query: HistoryQuery;
  readonly #channels: ReadonlySet<string>;
  /** Gaps that the reading itself has found, and how many of them were given. */
  readonly #damaged: readonly Gap[];
  #given = 0;
  #page: readonly (Gap & { readonly id: number })[] = [];
  #last: { readonly id: number; readonly fromMs: number } | undefined;
  #isAtEnd = false;

  constructor(tables: HistoryTables, query: HistoryQuery, damaged: readonly Gap[]) {
    this.#tables = tables;
    this.#query = query;
    this.#channels = new Set(query.channels);
    this.#damaged = damaged;
  }

  merge(rows: readonly (SampleRow | BucketRow)[]): readonly HistoryRow[] {
    if (this.#query.hasGapsLast === true) return rows;
    const merged: HistoryRow[] = [];
    for (const row of rows) {
      const timeMs = beginOf(row);
      for (let gap = this.#takeUpTo(timeMs); gap !== undefined; gap = this.#takeUpTo(timeMs))
        merged.push({ type: 'GAP', gap });
      merged.push(row);
    }
    return merged;
  }

  /** Returns some of the gaps that begin before a time; none at the end. */
  takePage(beforeMs: number): readonly HistoryRow[] {
    const rows: HistoryRow[] = [];
    while (rows.length < GAPS_IN_PAGE) {
      const gap = this.#takeUpTo(beforeMs - 1) ?? this.#takeDamaged();
      if (gap === undefined) break;
      rows.push({ type: 'GAP', gap });
    }
    return rows;
  }

  #takeUpTo(timeMs: number): Gap | undefined {
    for (;;) {
      const [first] = this.#page;
      if (first !== undefined) {
        if (first.fromMs > timeMs) return undefined;
        this.#page = this.#page.slice(1);
        const { id: _, ...gap } = first;
        if (gap.channel === undefined || this.#channels.has(gap.channel)) return gap;
      } else if (this.#isAtEnd) return undefined;
      else this.#fill();
    }
  }

  #fill(): void {
    const { asset, fromMs, toMs } = this.#query;
    const after = this.#last;
    this.#page = this.#tables.gaps.list({ asset, fromMs, toMs, after, limit: GAPS_IN_PAGE });
    this.#last = this.#page.at(-1);
    this.#isAtEnd = this.#last === undefined;
  }

  #takeDamaged(): Gap | undefined {
    const gap = this.#damaged[this.#given];
    if (gap !== undefined) this.#given += 1;
    return gap;
  }
}
