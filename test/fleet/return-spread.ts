import { quantile } from '../bench/statistics.ts';

/** How connections are spread over the time after an outage. */
export interface ReturnSpread {
  readonly connections: number;
  /** Most connections within one second of the clock. */
  readonly busiestSecond: number;
  readonly medianMs: number;
  readonly lastMs: number;
}

/**
 * Describes when senders returned.
 *
 * @param returnsMs time of each connection, in milliseconds after the end of the outage
 */
export function describeReturn(returnsMs: readonly number[]): ReturnSpread {
  const sorted = returnsMs.toSorted((one, other) => one - other);
  const bySecond = Map.groupBy(sorted, (timeMs) => Math.floor(timeMs / 1000));
  return {
    connections: sorted.length,
    busiestSecond: Math.max(0, ...[...bySecond.values()].map(({ length }) => length)),
    medianMs: Math.round(quantile(sorted, 0.5)),
    lastMs: Math.round(sorted.at(-1) ?? Number.NaN),
  };
}
