import type { Series } from './sample.ts';

/** A damaged frame must not cost the names of a later one. */
const TIMES_NAMED = 2;

/** The numbers of the series in one segment, and which of them a frame still has to name. */
export class SegmentNames {
  readonly #numbers = new Map<string, { readonly number: number; readonly series: Series; times: number }>();
  #next = 0;

  /** Returns the number of a series, a new one if it has none. */
  numberOf(series: Series): number {
    const key = keyOfSeries(series);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known.number;
    const number = this.#next;
    this.#next += 1;
    this.#numbers.set(key, { number, series, times: 0 });
    return number;
  }

  /** Takes the names of a frame that is in the file. */
  learn(names: ReadonlyMap<number, Series>): void {
    for (const [number, series] of names) {
      this.#next = Math.max(this.#next, number + 1);
      const key = keyOfSeries(series);
      const times = (this.#numbers.get(key)?.times ?? 0) + 1;
      this.#numbers.set(key, { number, series, times });
    }
  }

  /** Lists the names for the next frame: each is in two frames. */
  listDue(): ReadonlyMap<number, Series> {
    const due = new Map<number, Series>();
    for (const { number, series, times } of this.#numbers.values())
      if (times < TIMES_NAMED) due.set(number, series);
    return due;
  }
}

/** Returns a text that is the same for equal series alone. */
export function keyOfSeries({ asset, channel, valueType }: Series): string {
  // None of the three contains a line feed.
  return `${asset}\n${channel}\n${valueType}`;
}
