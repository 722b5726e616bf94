import { intervalOfMedian } from './interval.ts';
import type { Confidence, Interval } from './interval.ts';
import type { ForeignShare } from './machine-time.ts';
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
  /** Part of the time that others had while it was measured, as far as it counts for this figure, 0..1. */
  readonly foreignShare: number;
  readonly verdict: Verdict;
}

/** What others take on a machine that is called idle. */
const IDLE: ForeignShare = { all: 0.01, stolen: 0.002 };

/**
 * Judges a line by all values that its rounds allow.
 *
 * These are the interval of the median, and of a figure made of time also what the others may have added: who had a share s
 * of the processor may have made the one side of a ratio 1 ÷ (1 − s) times as slow, and the other side not at all. When
 * such values lie on both sides of the gate, the machine was too noisy to tell a defect from what is none.
 *
 * @throws {Error} if a round has no figure, or there is no round: that is no noise, and may hide a defect
 */
export function judge(line: Line, share: ForeignShare): JudgedLine {
  if (line.rounds.length === 0 || line.rounds.some(Number.isNaN))
    throw new Error(`${line.name}: a round without a figure`);
  const interval = intervalOf(line, 0.95);
  const figure = median(line.rounds);
  const possible = listPossible(line, interval, share);
  return {
    ...line,
    figure,
    interval,
    foreignShare: countingShare(line, share),
    verdict: findVerdict(line, possible),
  };
}

/** Whether more rounds are of no use: all values that an interval of 99 % allows on an idle machine lie on one side of the gate. */
export function isDecided(line: Line): boolean {
  const { gate } = line;
  if (gate === undefined) return true;
  const within = listPossible(line, intervalOf(line, 0.99), IDLE).map((value) => isWithin(value, gate));
  return within.every((isInside) => isInside === within[0]);
}

function intervalOf({ rounds, isUntimed = false }: Line, confidence: Confidence): Interval | undefined {
  return isUntimed && rounds.length === 1 ? undefined : intervalOfMedian(rounds, confidence);
}

function countingShare({ isUntimed = false, isProcessorTime = false }: Line, share: ForeignShare): number {
  if (isUntimed) return 0;
  return isProcessorTime ? share.stolen : share.all;
}

/** Returns the least and the greatest value that a figure may have. */
function listPossible(
  line: Line,
  interval: Interval | undefined,
  share: ForeignShare,
): readonly [low: number, high: number] {
  const figure = median(line.rounds);
  const { low, high } = interval ?? { low: figure, high: figure };
  const counting = countingShare(line, share);
  return [lower(low, counting), -lower(-high, counting)];
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
