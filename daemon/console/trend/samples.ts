/** A time in which nobody knows the value, and why. */
export interface Gap {
  readonly fromMs: number;
  /** Undefined: it goes on. */
  readonly untilMs: number | undefined;
  readonly cause: string;
}

const FIRST_ROOM = 256;

/** What the page collected of one channel: its samples in the order of their times, and the gaps between them. */
export class Samples {
  #times = new Float64Array(FIRST_ROOM);
  #values = new Float64Array(FIRST_ROOM);
  #length = 0;
  #gaps: Gap[] = [];
  /** Digits that a double cannot hold, by time. */
  readonly #exact = new Map<number, string>();

  get length(): number {
    return this.#length;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** When the first thing is known of the channel. */
  get startMs(): number | undefined {
    const first = this.#length > 0 ? this.#times[0] : undefined;
    return first ?? this.#gaps[0]?.fromMs;
  }

  timeAt(index: number): number {
    return this.#times[index] ?? Number.NaN;
  }

  valueAt(index: number): number {
    return this.#values[index] ?? Number.NaN;
  }

  /** Returns the value with every digit. */
  textAt(index: number): string {
    return this.#exact.get(this.timeAt(index)) ?? String(this.valueAt(index));
  }

  /** Returns the index of the last sample at a time or before it; -1: there is none. */
  indexAt(ms: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeAt(middle) <= ms) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Returns the gap that covers a time. */
  gapAt(ms: number): Gap | undefined {
    return this.#gaps.findLast(({ fromMs, untilMs = Infinity }) => fromMs < ms && ms < untilMs);
  }

  /** Adds a value; one that is older than the last, as a resumed stream may give it again, is known already. */
  add(ms: number, value: number, exact?: string): void {
    if (this.#length > 0 && ms <= this.timeAt(this.#length - 1)) return;
    if (this.#length === this.#times.length) this.#grow();
    this.#times[this.#length] = ms;
    this.#values[this.#length] = value;
    this.#length += 1;
    if (exact !== undefined) this.#exact.set(ms, exact);
  }

  /** From now on nobody knows the value; another cause ends the gap before. */
  openGap(ms: number, cause: string): void {
    const last = this.#gaps.at(-1);
    if (last?.untilMs === undefined && last?.cause === cause) return;
    const fromMs = Math.max(ms, last?.untilMs ?? last?.fromMs ?? ms);
    this.closeGap(fromMs);
    this.#gaps.push({ fromMs, untilMs: undefined, cause });
  }

  closeGap(ms: number): void {
    const last = this.#gaps.at(-1);
    if (last === undefined || last.untilMs !== undefined) return;
    this.#gaps.pop();
    if (ms > last.fromMs) this.#gaps.push({ ...last, untilMs: ms });
  }

  /** Takes the open gap back: what happened in it has come after all. */
  dropGap(): void {
    if (this.#gaps.at(-1)?.untilMs === undefined) this.#gaps.pop();
  }

  /** Forgets what is older than a time, but for the value that was held then. */
  prune(beforeMs: number): void {
    const from = this.indexAt(beforeMs);
    // Moving the rest costs more than some samples too many.
    if (from < this.#length / 4) return;
    for (let index = 0; index < from; index += 1) this.#exact.delete(this.timeAt(index));
    this.#times.copyWithin(0, from, this.#length);
    this.#values.copyWithin(0, from, this.#length);
    this.#length -= from;
    this.#gaps = this.#gaps.filter(({ untilMs = Infinity }) => untilMs >= beforeMs);
  }

  #grow(): void {
    const times = new Float64Array(2 * this.#times.length);
    const values = new Float64Array(2 * this.#times.length);
    times.set(this.#times);
    values.set(this.#values);
    this.#times = times;
    this.#values = values;
  }
}
