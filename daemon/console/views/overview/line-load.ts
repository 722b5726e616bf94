/** Totals of a connection at one time. */
export interface LineSample {
  readonly atMs: number;
  readonly requests: number;
  readonly timeouts: number;
}

/** Recent load of a connection. */
export interface LineLoad {
  /** Undefined until observed for long enough. */
  readonly requestsPerSecond: number | undefined;
  /** Since the connection was configured. */
  readonly timeouts: number;
  /** Since the page has observed it. */
  readonly newTimeouts: number;
  readonly seenMs: number;
}

const RATE_OVER_MS = 30_000;

/** Returns the totals from the counters of any driver type. */
export function toSample(counters: Readonly<Partial<Record<string, number>>>, atMs: number): LineSample {
  const { requests, reads = 0, writes = 0, timeouts = 0 } = counters;
  return { atMs, requests: requests ?? reads + writes, timeouts };
}

/**
 * Adds a sample to the previous ones.
 *
 * @returns the first sample, and those of the last 30 s; restarts if totals decrease
 */
export function addSample(before: readonly LineSample[], sample: LineSample): readonly LineSample[] {
  const last = before.at(-1);
  if (last === undefined || sample.requests < last.requests || sample.timeouts < last.timeouts) {
    return [sample];
  }
  const [first = sample, ...others] = before;
  return [first, ...others.filter(({ atMs }) => sample.atMs - atMs <= RATE_OVER_MS), sample];
}

/** Returns the load from the samples of a connection. */
export function loadOf(samples: readonly LineSample[]): LineLoad {
  const [first, ...others] = samples;
  const last = others.at(-1) ?? first;
  if (first === undefined || last === undefined) {
    return { requestsPerSecond: undefined, timeouts: 0, newTimeouts: 0, seenMs: 0 };
  }
  const from = last.atMs - first.atMs <= RATE_OVER_MS ? first : (others[0] ?? first);
  const spanMs = last.atMs - from.atMs;
  return {
    requestsPerSecond: spanMs === 0 ? undefined : ((last.requests - from.requests) / spanMs) * 1000,
    timeouts: last.timeouts,
    newTimeouts: last.timeouts - first.timeouts,
    seenMs: last.atMs - first.atMs,
  };
}
