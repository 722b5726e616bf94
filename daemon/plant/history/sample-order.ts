import { getSample } from '../journal/sample-columns.ts';
import type { Sample } from '../journal/sample.ts';
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

/** A sample with what decides its place among those of the same time. */
interface Item {
  readonly timeMs: number;
  readonly place: number;
  readonly sequence: number;
  readonly sample: Sample;
}

// More than a few blocks, so that the order is not made again for each.
const SPARE_ROWS = 2048;

/**
 * Sorts samples by time, those of the same time by channel and then as they were taken. The samples of one time are on one page.
 *
 * Memory holds about twice the samples of a page, whatever the blocks overlap.
 */
export class SampleOrder implements RowOrder<Sample> {
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
    const columns = block.load();
    for (let index = 0; index < columns.count; index += 1) {
      const timeMs = columns.timestampsMs[index] ?? 0;
      if (timeMs < fromMs || timeMs >= toMs || timeMs > this.cutoffMs) continue;
      this.#items.push({ timeMs, place, sequence: block.firstSequence, sample: getSample(columns, index) });
      if (timeMs < this.#earliestMs) this.#earliestMs = timeMs;
    }
    if (this.#items.length > 2 * this.#limit + SPARE_ROWS) this.#cut();
  }

  release(beforeMs: number): readonly Sample[] {
    if (this.nextMs !== undefined || this.#earliestMs >= beforeMs) return [];
    this.#items.sort(compareItems);
    const samples: Sample[] = [];
    let index = 0;
    for (const { timeMs, sample } of this.#items) {
      if (timeMs >= beforeMs) break;
      if (this.#released >= this.#limit && timeMs > this.#lastMs) {
        this.nextMs = timeMs;
        break;
      }
      samples.push(sample);
      this.#released += 1;
      this.#lastMs = timeMs;
      index += 1;
    }
    this.#items = this.#items.slice(index);
    this.#earliestMs = this.#items[0]?.timeMs ?? Infinity;
    return samples;
  }

  /** Drops what is certainly on a later page. */
  #cut(): void {
    this.#items.sort(compareItems);
    const last = this.#items[this.#limit - this.#released - 1]?.timeMs ?? this.#lastMs;
    // The next one shows where the next page begins.
    const next = this.#items.find(({ timeMs }) => timeMs > last);
    this.cutoffMs = Math.min(this.cutoffMs, next?.timeMs ?? Infinity);
    this.#items = this.#items.filter(({ timeMs }) => timeMs <= this.cutoffMs);
  }
}

function compareItems(one: Item, other: Item): number {
  return one.timeMs - other.timeMs || one.place - other.place || one.sequence - other.sequence;
}
