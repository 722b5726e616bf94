import { median } from '../bench/statistics.ts';
import type { Figures } from './figures/process-figures.ts';

/** Figures of one moment. */
export interface Sample {
  /** Minutes since the start. */
  readonly minute: number;
  /** Whether every actor was at rest. */
  readonly isAtRest: boolean;
  readonly figures: Figures;
}

/** Minutes whose samples are compared. */
export interface Windows {
  readonly early: readonly [from: number, until: number];
  /** Of the heap, instead of `early`: the change streams of all assets have the records that they keep by then. */
  readonly filled: readonly [from: number, until: number];
  readonly late: readonly [from: number, until: number];
}

/** Outcome of one figure. */
export interface Verdict {
  readonly figure: string;
  readonly early: number;
  readonly late: number;
  /** Largest value that is no growth. */
  readonly limit: number;
  readonly isBroken: boolean;
}

/** A figure at the end may be so many times that after ten minutes. */
const GROWTH = 1.02;
// What is on the disk goes up and down: files are written to a size before they are removed.
const PEAKS = /^disk: /;
// Memory that is no longer used stays until the next full collection, which comes at each rest.
const LEASTS = /^daemon: .*, MiB$/;
const FILLS_UP = 'daemon: heap, MiB';

/**
 * Returns which minutes of a run are compared: the five from the eighth on, of the heap those from the twentieth on, and the last five;
 * of shorter runs parts of them.
 */
export function chooseWindows(minutes: number): Windows {
  if (minutes < 20) {
    const early = [minutes * 0.3, minutes * 0.6] as const;
    return { early, filled: early, late: [minutes * 0.75, Infinity] };
  }
  const early = [8, 13] as const;
  return { early, filled: minutes < 40 ? early : [20, 25], late: [minutes - 5, Infinity] };
}

/**
 * Judges the figures of a run, in the order of their names.
 *
 * @param ceilings by figure: what it may reach in any case, as the configuration allows it
 */
export function judge(
  samples: readonly Sample[],
  windows: Windows,
  ceilings: Figures = {},
): readonly Verdict[] {
  const names = new Set(samples.flatMap(({ figures }) => Object.keys(figures)));
  return [...names].toSorted().map((figure) => {
    const first = figure === FILLS_UP ? windows.filled : windows.early;
    const [early, late] = [first, windows.late].map((window) => summarize(samples, figure, window));
    const limit = Math.max((early ?? Number.NaN) * GROWTH, ceilings[figure] ?? 0);
    return {
      figure,
      early: early ?? Number.NaN,
      late: late ?? Number.NaN,
      limit,
      isBroken: !(Number(late) <= limit),
    };
  });
}

/** Returns the middle value at rest; of memory the least and of the disk the largest value, at rest or not. */
function summarize(
  samples: readonly Sample[],
  figure: string,
  [from, until]: readonly [number, number],
): number {
  const isOfAll = PEAKS.test(figure) || LEASTS.test(figure);
  const values = samples
    .filter(({ minute, isAtRest }) => minute >= from && minute < until && (isOfAll || isAtRest))
    // What is not there has nothing.
    .map(({ figures }) => figures[figure] ?? 0);
  if (values.length === 0) return Number.NaN;
  if (!isOfAll) return median(values);
  return PEAKS.test(figure) ? Math.max(...values) : Math.min(...values);
}
