import type { Sample } from '../journal/sample.ts';

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

/** Statistics of no sample. */
export const NO_STATISTICS: Statistics = {
  fromMs: Infinity,
  toMs: -Infinity,
  count: 0,
  good: 0,
  valued: 0,
  numbers: 0,
  sum: 0,
  minimum: undefined,
  maximum: undefined,
};

/** Returns the value of a sample as a number, a BOOLEAN as 0 or 1; undefined for other values, and for NaN and infinities. */
function toNumber(value: Sample['value']): number | undefined {
  if (typeof value === 'string' || typeof value === 'object' || value === undefined) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Returns the statistics with those of one more sample. */
export function addSample(to: Statistics, { value, quality, timestampMs }: Sample): Statistics {
  const number = toNumber(value);
  return joinStatistics(to, {
    fromMs: timestampMs,
    toMs: timestampMs,
    count: 1,
    good: quality === 'GOOD' ? 1 : 0,
    valued: value === undefined ? 0 : 1,
    numbers: number === undefined ? 0 : 1,
    sum: number ?? 0,
    minimum: number,
    maximum: number,
  });
}

/** Returns the statistics of two lists of samples together. */
export function joinStatistics(one: Statistics, other: Statistics): Statistics {
  return {
    fromMs: Math.min(one.fromMs, other.fromMs),
    toMs: Math.max(one.toMs, other.toMs),
    count: one.count + other.count,
    good: one.good + other.good,
    valued: one.valued + other.valued,
    numbers: one.numbers + other.numbers,
    sum: one.sum + other.sum,
    minimum: choose(Math.min, one.minimum, other.minimum),
    maximum: choose(Math.max, one.maximum, other.maximum),
  };
}

function choose(
  pick: (one: number, other: number) => number,
  one: number | undefined,
  other: number | undefined,
): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return pick(one, other);
}
