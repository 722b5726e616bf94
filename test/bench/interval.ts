import { median } from './statistics.ts';

/** Bounds between which a figure lies; without bounds when nothing is known of it. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** How sure it is that an interval holds the figure. */
export type Confidence = 0.95 | 0.99;

// Student's t, two-sided, by degrees of freedom from 1 on: as many as the order of the rounds does not suffice for.
const STUDENT_T: Readonly<Record<Confidence, readonly number[]>> = {
  0.95: [12.706, 4.303, 3.182, 2.776],
  0.99: [63.657, 9.925, 5.841, 4.604, 4.032, 3.707],
};

/**
 * Returns the interval that holds the median of all rounds that could be measured, judged by those that were.
 *
 * With enough rounds (6 for 0.95, 8 for 0.99) their order alone decides, whatever their distribution: the median is beyond
 * the k-th lowest of n rounds with the probability that a coin, thrown n times, shows heads less than k times. With fewer
 * rounds the interval is that of Student, and at least as wide as they lie apart; that of the logarithms where all rounds are
 * above zero, as half and twice of a time or a ratio are equally likely. One round says nothing.
 */
export function intervalOfMedian(rounds: readonly number[], confidence: Confidence): Interval {
  const sorted = rounds.toSorted((a, b) => a - b);
  const rank = findRank(sorted.length, confidence);
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[Math.max(0, rank - 1)],
    sorted.at(-Math.max(1, rank)),
  ];
  if (rank > 0) return { low, high };
  const factor = STUDENT_T[confidence][sorted.length - 2];
  if (factor === undefined) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const wide =
    low > 0
      ? mapInterval(intervalOfMean(sorted.map(Math.log), factor), Math.exp)
      : intervalOfMean(sorted, factor);
  return { low: Math.min(low, wide.low), high: Math.max(high, wide.high) };
}

function intervalOfMean(values: readonly number[], factor: number): Interval {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  const reach = factor * Math.sqrt(variance / values.length);
  return { low: mean - reach, high: mean + reach };
}

function mapInterval({ low, high }: Interval, change: (value: number) => number): Interval {
  return { low: change(low), high: change(high) };
}

/** Finds the k of which the k-th lowest and the k-th highest round bound the interval; 0: no round does. */
function findRank(rounds: number, confidence: Confidence): number {
  let rank = 0;
  let ways = 1;
  // Of all sequences of coins, the share with at most `rank` heads.
  let share = 2 ** -rounds;
  while (1 - 2 * share >= confidence) {
    rank += 1;
    ways = (ways * (rounds - rank + 1)) / rank;
    share += ways * 2 ** -rounds;
  }
  return rank;
}

/** How another version compares with ours. */
export interface Comparison {
  /** The median of the ratios ours ÷ other. */
  readonly ratio: number;
  readonly interval: Interval;
  readonly verdict: 'better' | 'worse' | 'no difference that this machine can show';
}

/**
 * Compares two versions by the ratios of what was measured of them in turn.
 *
 * @param ratios ours ÷ other, one for each pair of gateways that ran side by side
 * @param better whether less or more of the figure is better
 */
export function compareVersions(ratios: readonly number[], better: 'LESS' | 'MORE'): Comparison {
  const interval = intervalOfMedian(ratios, 0.99);
  const [isLess, isMore] = [interval.high < 1, interval.low > 1];
  const verdict =
    !isLess && !isMore
      ? 'no difference that this machine can show'
      : isLess === (better === 'LESS')
        ? 'better'
        : 'worse';
  return { ratio: median(ratios), interval, verdict };
}
