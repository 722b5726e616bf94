/** Time range without a known value, with its cause. */
export interface Gap {
  readonly fromMs: number;
  /** Undefined while open. */
  readonly untilMs: number | undefined;
  readonly cause: string;
  /** The page did not listen: what was recorded in the meantime fills the gap. */
  readonly isUnheard?: true;
}

/** Values of one channel in order of time, and the gaps between them. */
export type Series = Pick<
  Samples,
  'length' | 'gaps' | 'startMs' | 'timeAt' | 'valueAt' | 'textAt' | 'indexAt' | 'gapAt'
>;

const FIRST_ROOM = 256;

/** Collected samples of one channel in order of time, and the gaps between them. */
export class Samples {
  #times = new Float64Array(FIRST_ROOM);
  #values = new Float64Array(FIRST_ROOM);
  #length = 0;
  #gaps: Gap[];
  /** Exact texts of numbers that a double cannot hold, by time. */
  readonly #exact = new Map<number, string>();

  constructor(gaps: readonly Gap[] = []) {
    this.#gaps = [...gaps];
  }

  get length(): number {
    return this.#length;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** Time of the first sample or gap. */
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

  /** Returns the index of the last sample at or before a time; -1 if there is none. */
  indexAt(ms: number): number {
    return findIndex(this, ms);
  }

  /** Returns the gap that covers a time. */
  gapAt(ms: number): Gap | undefined {
    return this.#gaps.findLast(({ fromMs, untilMs = Infinity }) => fromMs < ms && ms < untilMs);
  }

  /** Adds a value; values older than the last, repeated by a resumed stream, are ignored. */
  add(ms: number, value: number, exact?: string): void {
    if (this.#length > 0 && ms <= this.timeAt(this.#length - 1)) return;
    if (this.#length === this.#times.length) this.#grow();
    this.#times[this.#length] = ms;
    this.#values[this.#length] = value;
    this.#length += 1;
    if (exact !== undefined) this.#exact.set(ms, exact);
  }

  /** Opens a gap; a different cause ends the previous gap. */
  openGap(ms: number, cause: string, kind: Pick<Gap, 'isUnheard'> = {}): void {
    const last = this.#gaps.at(-1);
    if (last?.untilMs === undefined && last?.cause === cause) return;
    const fromMs = Math.max(ms, last?.untilMs ?? last?.fromMs ?? ms);
    this.closeGap(fromMs);
    this.#gaps.push({ fromMs, untilMs: undefined, cause, ...kind });
  }

  closeGap(ms: number): void {
    const last = this.#gaps.at(-1);
    if (last === undefined || last.untilMs !== undefined) return;
    this.#gaps.pop();
    if (ms > last.fromMs) this.#gaps.push({ ...last, untilMs: ms });
  }

  /** Removes the open gap: its values have arrived after all. */
  dropGap(): void {
    if (this.#gaps.at(-1)?.untilMs === undefined) this.#gaps.pop();
  }

  /** Drops samples older than a time, except the value held at that time. */
  prune(beforeMs: number): void {
    const from = this.indexAt(beforeMs);
    // Moving the rest costs more than keeping some old samples.
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

/** Returns the index of the last sample at or before a time; -1 if there is none. */
export function findIndex(series: Pick<Series, 'length' | 'timeAt'>, ms: number): number {
  let low = 0;
  let high = series.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.timeAt(middle) <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
