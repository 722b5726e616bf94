/** How an authentication provider has answered lately. */
export interface Silence {
  /** Consecutive requests that it did not answer in time. */
  readonly inRow: number;
  /** It is not asked before this time of a monotonic clock, and then about one request; undefined: it is asked. */
  readonly untilMs: number | undefined;
}

/** Consecutive requests without an answer after which a provider is suspended. */
export const SILENT_REQUESTS = 3;
/** Pause before a suspended provider is asked about one request; it doubles each time, up to the longest. */
export const FIRST_PAUSE_MS = 5000;
export const LONGEST_PAUSE_MS = 60_000;

export const NOT_SILENT: Silence = { inRow: 0, untilMs: undefined };

/**
 * Returns the state of a provider after one more request that it did not answer in time.
 *
 * @param nowMs milliseconds of a monotonic clock
 * @param isProbe whether it is the one request about which a suspended provider was asked; other late ones change nothing then
 */
export function addSilence({ inRow, untilMs }: Silence, nowMs: number, isProbe: boolean): Silence {
  if (untilMs !== undefined && !isProbe) return { inRow, untilMs };
  const next = inRow + 1;
  return { inRow: next, untilMs: next < SILENT_REQUESTS ? undefined : nowMs + pauseMs(next) };
}

function pauseMs(inRow: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (inRow - SILENT_REQUESTS));
}
