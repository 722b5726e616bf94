/** An unrequested end of a process. */
export interface UnwantedEnd {
  /** Milliseconds of a monotonic clock. */
  readonly atMs: number;
  /** Time for which the bundle was ACTIVE; 0 if it never was. */
  readonly activeMs: number;
}

/** Earlier ends of a bundle, input of the policy. */
interface RestartHistory {
  /** Ends of the last hour, oldest first. */
  readonly endsAtMs: readonly number[];
  /** Consecutive ends without a stable time in between. */
  readonly endsInRow: number;
}

export type RestartDecision =
  | { readonly kind: 'RESTART'; readonly delayMs: number }
  | { readonly kind: 'GIVE_UP'; readonly reason: string };

export const NO_ENDS: RestartHistory = { endsAtMs: [], endsInRow: 0 };

const FIRST_DELAY_MS = 1000;
const MAXIMUM_DELAY_MS = 300_000;
/** A bundle that was ACTIVE for this time is not in a crash loop. */
const STABLE_MS = 60_000;
/** Consecutive ends, each before the bundle was stable, that count as a crash loop. */
export const CRASH_LOOP_ENDS = 5;
const WINDOW_MS = 3_600_000;
/** Ends within one hour after which the bundle is not restarted, even if it was stable in between. */
export const MAXIMUM_ENDS_PER_HOUR = 10;

/**
 * Decides whether and when a bundle is restarted.
 *
 * The delay doubles from one second to five minutes with each consecutive end, and starts over after a stable time.
 *
 * @returns the decision, and the history for the next one
 */
export function decideRestart(
  { endsAtMs, endsInRow }: RestartHistory,
  { atMs, activeMs }: UnwantedEnd,
): { readonly decision: RestartDecision; readonly history: RestartHistory } {
  const history = {
    endsAtMs: [...endsAtMs.filter((endMs) => atMs - endMs < WINDOW_MS), atMs],
    endsInRow: activeMs >= STABLE_MS ? 1 : endsInRow + 1,
  };
  return { decision: decide(history), history };
}

function decide({ endsAtMs, endsInRow }: RestartHistory): RestartDecision {
  if (endsInRow >= CRASH_LOOP_ENDS) {
    return { kind: 'GIVE_UP', reason: `it ended ${endsInRow} times in a row soon after its start` };
  }
  if (endsAtMs.length >= MAXIMUM_ENDS_PER_HOUR) {
    return { kind: 'GIVE_UP', reason: `it ended ${endsAtMs.length} times within an hour` };
  }
  return { kind: 'RESTART', delayMs: Math.min(MAXIMUM_DELAY_MS, FIRST_DELAY_MS * 2 ** (endsInRow - 1)) };
}
