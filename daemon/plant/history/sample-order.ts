import type { ChannelValue } from '../../channel/value-type.ts';
import type { SampleTag } from '../journal/sample-columns.ts';
import type { Series } from '../journal/sample.ts';
import type { SourceBlock, SourceRange } from './block-source.ts';

/** Rows in the order of time that a reader has found, and where the next page begins. */
export interface RowOrder<Row> {
  /** Milliseconds since the epoch; what is later is on a later page. */
  readonly cutoffMs: number;
  /** Where the next page begins; undefined while this one is not full. */
  readonly nextMs: number | undefined;
  /** Takes the rows of a block. */
  take(block: SourceBlock): void;
  /** Gives the rows before a time, which no further block changes, in their order. */
  release(beforeMs: number): readonly Row[];
}

/** A sample, with the parts that all samples of a block, or many of them, have in common. */
export interface SampleRow {
  readonly type: 'SAMPLE';
  readonly series: Series;
  /** As `Sample.timestampMs`. */
  readonly timeMs: number;
  /** As `Sample.value`. */
  readonly value: ChannelValue | undefined;
  readonly tag: SampleTag;
}

/** A sample with what decides its place among those of the same time. */
interface Item extends SampleRow {
  /** Of its channel. */
  readonly place: number;
  /** Of its block. */
  readonly sequence: number;
}

// More than a few blocks, so that the order is not made again for each.
const SPARE_ROWS = 2048;

/**
 * Sorts samples by time, those of the same time by channel and then as they were taken. The samples of one time are on one page.
 *
 * Memory holds about twice the samples of a page, whatever the blocks overlap.
 */
export class SampleOrder implements RowOrder<SampleRow> {
  cutoffMs = Infinity;
  nextMs: number | undefined;
  readonly #range: SourceRange;
  readonly #limit: number;
  readonly #places: ReadonlyMap<string, number>;
  #items: Item[] = [];
  #earliestMs = Infinity;
  #released = 0;
  #lastMs = -Infinity;

  constructor(range: SourceRange, limit: number) {
    this.#range = range;
    this.#limit = limit;
    this.#places = new Map(range.channels.map((channel, index) => [channel, index]));
  }

  take(block: SourceBlock): void {
    const { fromMs, toMs } = this.#range;
    const place = this.#places.get(block.series.channel) ?? 0;
    const sequence = block.firstSequence;
    const { series, count, timestampsMs, values, tags } = block.load();
    for (let index = 0; index < count; index += 1) {
      const [timeMs, tag] = [timestampsMs[index], tags[index]];
      if (timeMs === undefined || tag === undefined) throw new RangeError(`there is no sample ${index}`);
      if (timeMs < fromMs || timeMs >= toMs || timeMs > this.cutoffMs) continue;
      this.#items.push({ type: 'SAMPLE', series, timeMs, value: values[index], tag, place, sequence });
      if (timeMs < this.#earliestMs) this.#earliestMs = timeMs;
    }
    if (this.#items.length > 2 * this.#limit + SPARE_ROWS) this.#cut();
  }

  release(beforeMs: number): readonly SampleRow[] {
    if (this.nextMs !== undefined || this.#earliestMs >= beforeMs) return [];
    this.#items.sort(compareItems);
    let count = 0;
    for (const { timeMs } of this.#items) {
      if (timeMs >= beforeMs) break;
      if (this.#released >= this.#limit && timeMs > this.#lastMs) {
        this.nextMs = timeMs;
        break;
      }
      this.#released += 1;
      this.#lastMs = timeMs;
      count += 1;
    }
    const rows = this.#items.slice(0, count);
    this.#items = this.#items.slice(count);
    const [first] = this.#items;
    this.#earliestMs = first?.timeMs ?? Infinity;
    return rows;
  }

  /** Drops what is certainly on a later page. */
  #cut(): void {
    this.#items.sort(compareItems);
    const last = this.#items[this.#limit - this.#released - 1];
    const lastMs = last?.timeMs ?? this.#lastMs;
    // The next one shows where the next page begins.
    const next = this.#items.find(({ timeMs }) => timeMs > lastMs);
    if (next !== undefined) this.cutoffMs = Math.min(this.cutoffMs, next.timeMs);
    this.#items = this.#items.filter(({ timeMs }) => timeMs <= this.cutoffMs);
  }
}

function compareItems(one: Item, other: Item): number {
  return one.timeMs - other.timeMs || one.place - other.place || one.sequence - other.sequence;
}
