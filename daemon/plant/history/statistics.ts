import type { ChannelValue } from '../../channel/value-type.ts';
import type { SampleColumns } from '../journal/sample-columns.ts';

/** What is known of samples without reading them. */
export interface Statistics {
  /** Earliest and latest time of the samples, in milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
  /** Samples of good quality. */
  readonly good: number;
  /** Samples with a value. */
  readonly valued: number;
  /** Samples with a value that is a finite number. */
  readonly numbers: number;
  /** Of those numbers; undefined without any. */
  readonly sum: number;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
}

/** Statistics that grow by samples, and by those of other samples. */
export class GrowingStatistics implements Statistics {
  fromMs = Infinity;
  toMs = -Infinity;
  count = 0;
  good = 0;
  valued = 0;
  numbers = 0;
  sum = 0;
  minimum: number | undefined;
  maximum: number | undefined;

  /** Adds a sample. */
  add({ tags, values, timestampsMs }: SampleColumns, index: number): void {
    const value = values[index];
    const timeMs = timestampsMs[index] ?? 0;
    this.#widen(timeMs, timeMs);
    this.count += 1;
    if (tags[index]?.quality === 'GOOD') this.good += 1;
    if (value === undefined) return;
    this.valued += 1;
    const number = toNumber(value);
    if (number === undefined) return;
    this.numbers += 1;
    this.sum += number;
    this.#limit(number, number);
  }

  /** Adds what is known of other samples. */
  join({ fromMs, toMs, count, good, valued, numbers, sum, minimum, maximum }: Statistics): void {
    this.#widen(fromMs, toMs);
    this.count += count;
    this.good += good;
    this.valued += valued;
    this.numbers += numbers;
    this.sum += sum;
    if (minimum !== undefined && maximum !== undefined) this.#limit(minimum, maximum);
  }

  /** Returns the statistics as they are now. */
  show(): Statistics {
    const { fromMs, toMs, count, good, valued, numbers, sum, minimum, maximum } = this;
    return { fromMs, toMs, count, good, valued, numbers, sum, minimum, maximum };
  }

  #widen(fromMs: number, toMs: number): void {
    if (fromMs < this.fromMs) this.fromMs = fromMs;
    if (toMs > this.toMs) this.toMs = toMs;
  }

  #limit(minimum: number, maximum: number): void {
    if (this.minimum === undefined || minimum < this.minimum) this.minimum = minimum;
    if (this.maximum === undefined || maximum > this.maximum) this.maximum = maximum;
  }
}

/** Returns a value as a number, a BOOLEAN as 0 or 1; undefined for other values, and for NaN and infinities. */
function toNumber(value: ChannelValue): number | undefined {
  if (typeof value === 'string' || typeof value === 'object') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
