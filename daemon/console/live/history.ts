/** Length of a channel history. */
export const COURSE_MS = 300_000;

/** Values of a channel within one column of its history; NaN in all three: a gap begins. */
export interface CourseColumn {
  /** Start time, in milliseconds since the epoch. */
  readonly ms: number;
  readonly low: number;
  readonly high: number;
  readonly last: number;
}

// Two pixels wide in the sparkline: a page can hold the histories of ten thousand channels.
const COLUMN_MS = 5000;
const COLUMNS = COURSE_MS / COLUMN_MS;
const NUMBERS = 4;
// More than the history needs, because several are dropped at once.
const DROPPED = (COLUMNS / 3) * NUMBERS;
const ROOM = COLUMNS * NUMBERS + DROPPED;

/** Recent history of one channel: lowest, highest and last number of each column, and gaps. */
export class ChannelHistory {
  #numbers = new Float64Array(NUMBERS);
  #length = 0;

  /** Columns in order of time. */
  *columns(): Generator<CourseColumn> {
    for (let at = 0; at < this.#length; at += NUMBERS) {
      const [ms = 0, low = 0, high = 0, last = 0] = this.#numbers.subarray(at, at + NUMBERS);
      yield { ms, low, high, last };
    }
  }

  /** @param value NaN begins a gap */
  add(atMs: number, value: number): void {
    const ms = Math.floor(atMs / COLUMN_MS) * COLUMN_MS;
    const at = this.#length - NUMBERS;
    const numbers = this.#numbers;
    const lastMs = at < 0 ? -Infinity : (numbers[at] ?? 0);
    // A resumed stream can repeat values.
    if (ms < lastMs) return;
    const before = at < 0 ? Number.NaN : (numbers[at + 3] ?? 0);
    if (Number.isNaN(value) && Number.isNaN(before)) return;
    if (ms > lastMs || Number.isNaN(value) || Number.isNaN(before)) this.#append(ms, value);
    else {
      numbers[at + 1] = Math.min(numbers[at + 1] ?? 0, value);
      numbers[at + 2] = Math.max(numbers[at + 2] ?? 0, value);
      numbers[at + 3] = value;
    }
  }

  #append(ms: number, value: number): void {
    if (this.#length === this.#numbers.length) this.#makeRoom();
    this.#numbers.set([ms, value, value, value], this.#length);
    this.#length += NUMBERS;
  }

  #makeRoom(): void {
    if (this.#length === ROOM) {
      this.#numbers.copyWithin(0, DROPPED);
      this.#length -= DROPPED;
      return;
    }
    // Allocate the full size at the first change, so that memory use settles early.
    const numbers = new Float64Array(ROOM);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}
