import type { ChannelValue, ValueType } from '../../channel/value-type.ts';
import type { SourceBlock, SourceRange } from './block-source.ts';
import type { RowOrder } from './sample-order.ts';
import { GrowingStatistics } from './statistics.ts';
import type { Statistics } from './statistics.ts';

/** What a bucket shows of its samples. */
export type Aggregate = 'mean' | 'min' | 'max' | 'first' | 'last' | 'count';

/** The samples of a channel in a part of a range of time. */
export interface Bucket {
  readonly channel: string;
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  /** Undefined if no sample has a value that the aggregate applies to. */
  readonly value: ChannelValue | undefined;
  readonly valueType: ValueType;
  readonly count: number;
  /** Samples of good quality. */
  readonly good: number;
}

/** A bucket of an answer. */
export interface BucketRow {
  readonly type: 'BUCKET';
  readonly bucket: Bucket;
}

/** The first or last value, with what decides which one that is. */
interface Edge {
  /** Undefined before the first one. */
  value: ChannelValue | undefined;
  valueType: ValueType;
  timeMs: number;
  sequence: number;
}

interface Pending {
  readonly statistics: GrowingStatistics;
  valueType: ValueType;
  readonly edge: Edge;
}

const SPARE_ROWS = 2048;

/**
 * Collects samples in buckets of the same length; the first one begins with the range. Blocks within a bucket are not opened
 * where their statistics answer. The buckets of one time are on one page.
 */
export class BucketOrder implements RowOrder<BucketRow> {
  cutoffMs = Infinity;
  nextMs: number | undefined;
  readonly #range: SourceRange;
  readonly #bucketMs: number;
  readonly #aggregate: Aggregate;
  readonly #limit: number;
  /** By the number of the bucket, then by channel. */
  readonly #pending = new Map<number, Map<string, Pending>>();
  #rows = 0;
  #released = 0;

  constructor(
    range: SourceRange,
    { bucketMs, aggregate }: { readonly bucketMs: number; readonly aggregate: Aggregate },
    limit: number,
  ) {
    this.#range = range;
    this.#bucketMs = bucketMs;
    this.#aggregate = aggregate;
    this.#limit = limit;
  }

  take(block: SourceBlock): void {
    const { fromMs, toMs } = this.#range;
    const { statistics } = block;
    const isInside = statistics.fromMs >= fromMs && statistics.toMs < toMs;
    const isEdge = this.#aggregate === 'first' || this.#aggregate === 'last';
    const number = this.#numberOf(statistics.fromMs);
    if (isInside && number === this.#numberOf(statistics.toMs) && (!isEdge || statistics.valued === 0)) {
      if (statistics.toMs > this.cutoffMs) return;
      const pending = this.#findPending(number, block);
      pending.statistics.join(statistics);
    } else {
      this.#takeSamples(block, isEdge);
    }
    if (this.#rows > 2 * this.#limit + SPARE_ROWS) this.#cut();
  }

  release(beforeMs: number): readonly BucketRow[] {
    if (this.nextMs !== undefined) return [];
    const buckets: BucketRow[] = [];
    for (const number of this.#listNumbers()) {
      const startMs = this.#startOf(number);
      if (startMs + this.#bucketMs > beforeMs) break;
      if (this.#released >= this.#limit) {
        this.nextMs = startMs;
        break;
      }
      const ofBucket = this.#pending.get(number);
      this.#pending.delete(number);
      for (const channel of this.#range.channels) {
        const pending = ofBucket?.get(channel);
        if (pending === undefined) continue;
        buckets.push({ type: 'BUCKET', bucket: this.#close(channel, startMs, pending) });
        this.#rows -= 1;
        this.#released += 1;
      }
    }
    return buckets;
  }

  #takeSamples(block: SourceBlock, isEdge: boolean): void {
    const columns = block.load();
    const { fromMs, toMs } = this.#range;
    let pending: Pending | undefined;
    // Most samples are in the bucket of the one before.
    let [startMs, endMs] = [Infinity, -Infinity];
    for (let index = 0; index < columns.count; index += 1) {
      const timeMs = columns.timestampsMs[index] ?? 0;
      if (timeMs < fromMs || timeMs >= toMs || timeMs > this.cutoffMs) continue;
      if (pending === undefined || timeMs < startMs || timeMs >= endMs) {
        const number = this.#numberOf(timeMs);
        pending = this.#findPending(number, block);
        startMs = this.#startOf(number);
        endMs = startMs + this.#bucketMs;
      }
      pending.statistics.add(columns, index);
      if (isEdge) this.#noteEdge(pending, block, { value: columns.values[index], timeMs });
    }
  }

  #listNumbers(): readonly number[] {
    return [...this.#pending.keys()].toSorted((one, other) => one - other);
  }

  #numberOf(timeMs: number): number {
    return Math.floor((timeMs - this.#range.fromMs) / this.#bucketMs);
  }

  #startOf(number: number): number {
    return this.#range.fromMs + number * this.#bucketMs;
  }

  #findPending(number: number, { series }: SourceBlock): Pending {
    const { channel, valueType } = series;
    let ofBucket = this.#pending.get(number);
    if (ofBucket === undefined) {
      ofBucket = new Map();
      this.#pending.set(number, ofBucket);
    }
    let pending = ofBucket.get(channel);
    if (pending === undefined) {
      const edge = { value: undefined, valueType, timeMs: 0, sequence: 0 };
      pending = { statistics: new GrowingStatistics(), valueType, edge };
      ofBucket.set(channel, pending);
      this.#rows += 1;
    }
    // The type of the channel was changed in the time of the bucket.
    if (pending.valueType !== valueType) pending.valueType = 'DOUBLE';
    return pending;
  }

  #noteEdge(
    { edge }: Pending,
    { series, firstSequence }: SourceBlock,
    { value, timeMs }: { readonly value: ChannelValue | undefined; readonly timeMs: number },
  ): void {
    if (value === undefined) return;
    const difference = timeMs - edge.timeMs || firstSequence - edge.sequence;
    const isKept = this.#aggregate === 'first' ? difference >= 0 : difference < 0;
    if (edge.value !== undefined && isKept) return;
    edge.value = value;
    edge.valueType = series.valueType;
    edge.timeMs = timeMs;
    edge.sequence = firstSequence;
  }

  #close(channel: string, fromMs: number, { statistics, valueType, edge }: Pending): Bucket {
    const { count, good } = statistics;
    return { channel, fromMs, ...this.#valueOf(statistics, valueType, edge), count, good };
  }

  #valueOf(
    { numbers, sum, minimum, maximum, count }: Statistics,
    valueType: ValueType,
    edge: Edge,
  ): Pick<Bucket, 'value' | 'valueType'> {
    // Its shortest text has fewer digits.
    const ofNumber = valueType === 'FLOAT' ? 'FLOAT' : 'DOUBLE';
    switch (this.#aggregate) {
      case 'count':
        return { value: count, valueType: 'INTEGER' };
      case 'mean':
        return { value: numbers === 0 ? undefined : sum / numbers, valueType: 'DOUBLE' };
      case 'min':
        return { value: minimum, valueType: ofNumber };
      case 'max':
        return { value: maximum, valueType: ofNumber };
      case 'first':
      case 'last':
        return { value: edge.value, valueType: edge.value === undefined ? valueType : edge.valueType };
    }
  }

  /** Drops what is certainly on a later page. */
  #cut(): void {
    let rows = 0;
    for (const number of this.#listNumbers()) {
      const count = this.#pending.get(number)?.size ?? 0;
      if (this.#startOf(number) > this.cutoffMs) {
        this.#pending.delete(number);
        this.#rows -= count;
        continue;
      }
      // The bucket that exceeds the limit shows where the next page begins.
      if (rows >= this.#limit) this.cutoffMs = this.#startOf(number) + this.#bucketMs - 1;
      rows += count;
    }
  }
}
