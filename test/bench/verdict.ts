import { intervalOfMedian } from './interval.ts';
import type { Interval } from './interval.ts';
import type { Bound, Line } from './scenario.ts';
import { median } from './statistics.ts';

/** How a figure stands to its bounds; nothing when it has none. */
export type Verdict = 'goal' | 'gate' | 'DEFECT' | 'too noisy' | '';

/** A line, and what its rounds say. */
export interface JudgedLine extends Line {
  /** The median of the rounds. */
  readonly figure: number;
  /** Holds the figure with a probability of 95 %; none of a count, which is what it is. */
  readonly interval: Interval | undefined;
  /** Part of the processor time that others had while it was measured, 0..1. */
  readonly foreignShare: number;
  readonly verdict: Verdict;
}

/**
 * Judges a line by all values that its rounds allow.
 *
 * These are the interval of the median, and of a figure made of time also what the others may have added: who had a share s
 * of the processor may have made the one side of a ratio 1 ÷ (1 − s) times as slow, and the other side not at all. When
 * such values lie on both sides of the gate, the machine was too noisy to tell a defect from what is none.
 *
 * @param foreignShare part of the processor time that others had meanwhile, 0..1
 */
export function judge(line: Line, foreignShare: number): JudgedLine {
  const { rounds, isUntimed = false } = line;
  const figure = median(rounds);
  const isCount = isUntimed && rounds.length === 1;
  const interval = isCount ? undefined : intervalOfMedian(rounds, 0.95);
  const { low, high } = interval ?? { low: figure, high: figure };
  const possible = isUntimed ? [low, high] : [lower(low, foreignShare), -lower(-high, foreignShare)];
  return { ...line, figure, interval, foreignShare, verdict: findVerdict(line, possible) };
}

function findVerdict({ gate, goal }: Line, possible: readonly number[]): Verdict {
  if (gate === undefined) return '';
  if (goal !== undefined && possible.every((value) => isWithin(value, goal))) return 'goal';
  if (possible.every((value) => isWithin(value, gate))) return 'gate';
  return possible.some((value) => isWithin(value, gate)) ? 'too noisy' : 'DEFECT';
}

/** Returns what a value is at least, when a share of the time belonged to others. */
function lower(value: number, share: number): number {
  return value > 0 ? value * (1 - share) : value / (1 - share);
}

function isWithin(value: number, bound: Bound): boolean {
  return 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast;
}
