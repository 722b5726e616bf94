/** One end of a process that nobody asked for. */
export interface UnwantedEnd {
  /** Milliseconds of a clock that never goes back. */
  readonly atMs: number;
  /** How long the bundle was ACTIVE before; 0 when it never was. */
  readonly activeMs: number;
}

/** What the policy remembers of a bundle. */
interface RestartHistory {
  /** Ends of the last hour, oldest first. */
  readonly endsAtMs: readonly number[];
  /** Ends in a row, none of them after a stable time. */
  readonly endsInRow: number;
}

export type RestartDecision =
  | { readonly kind: 'RESTART'; readonly delayMs: number }
  | { readonly kind: 'GIVE_UP'; readonly reason: string };

export const NO_ENDS: RestartHistory = { endsAtMs: [], endsInRow: 0 };

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 300_000;
/** A bundle that was ACTIVE for so long is no crash loop. */
const STABLE_MS = 60_000;
/** So many ends in a row, each before the bundle was stable, are a crash loop. */
export const CRASH_LOOP_ENDS = 5;
const WINDOW_MS = 3_600_000;
/** So many ends in one hour are too many, however stable the bundle was in between. */
export const MAXIMUM_ENDS_PER_HOUR = 10;

/**
 * Decides whether and when a bundle is started again.
 *
 * The pause doubles from one second to five minutes with each end in a row, and begins anew after a stable time.
 *
 * @returns the decision, and what to remember for the next one
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
  return { kind: 'RESTART', delayMs: Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (endsInRow - 1)) };
}
