/** Attempts of one name, or from one address: those that failed and those that are not decided yet. */
export interface AttemptCounter {
  readonly freeFailures: number;
  failures: number;
  /** Attempts under way; each counts as a failure until it is decided. */
  pending: number;
  blockedUntilMs: number;
  failuresUntilMs: number;
  /** What resumes the attempts that wait for those under way, in their order; there are none unless it is taken. */
  readonly waiting: (() => void)[];
}

/** The delay doubles with each failure up to this. */
export const LONGEST_DELAY_SECONDS = 60;

/** Failures are forgotten after so long without another one. */
export const FORGET_AFTER_MS = 15 * 60_000;

/** Makes a counter of nothing. */
export function createAttemptCounter(freeFailures: number): AttemptCounter {
  return { freeFailures, failures: 0, pending: 0, blockedUntilMs: 0, failuresUntilMs: 0, waiting: [] };
}

/**
 * Returns how long another attempt has to wait.
 *
 * @returns whole seconds; 0 when it may begin now
 */
export function waitSecondsOf(counter: AttemptCounter | undefined, nowMs: number): number {
  if (counter === undefined) return 0;
  const blockedSeconds = blockedSecondsOf(counter, nowMs);
  if (blockedSeconds > 0) return blockedSeconds;
  return isTaken(counter, nowMs) ? 1 : 0;
}

/** Returns for how many whole seconds attempts are refused because of those that failed. */
export function blockedSecondsOf({ blockedUntilMs }: AttemptCounter, nowMs: number): number {
  return Math.max(0, Math.ceil((blockedUntilMs - nowMs) / 1000));
}

/**
 * Returns whether another attempt depends on those under way.
 *
 * They count as if they had failed already: a volley gets no more answers than the same attempts would get one after the
 * other. Once failures are no longer free, attempts go one at a time.
 */
export function isTaken(counter: AttemptCounter, nowMs: number): boolean {
  return counter.pending > 0 && failuresOf(counter, nowMs) + counter.pending >= counter.freeFailures;
}

/** Resumes the attempts that wait, as long as none under way decides about them. */
export function resumeWaiting(counter: AttemptCounter, nowMs: number): void {
  while (counter.waiting.length > 0 && !isTaken(counter, nowMs)) counter.waiting.shift()?.();
}

/**
 * Counts a failure.
 *
 * @returns seconds during which others are refused from now on; 0 while failures are free
 */
export function countFailure(counter: AttemptCounter, nowMs: number): number {
  counter.failures = failuresOf(counter, nowMs) + 1;
  counter.failuresUntilMs = nowMs + FORGET_AFTER_MS;
  const beyond = counter.failures - counter.freeFailures;
  if (beyond < 0) return 0;
  const delaySeconds = Math.min(LONGEST_DELAY_SECONDS, 2 ** beyond);
  counter.blockedUntilMs = nowMs + delaySeconds * 1000;
  return delaySeconds;
}

/** Forgets what has failed; attempts under way stay counted. */
export function clearFailures(counter: AttemptCounter): void {
  counter.failures = 0;
  counter.blockedUntilMs = 0;
}

/** Whether there is anything to remember. */
export function isInUse(counter: AttemptCounter, nowMs: number): boolean {
  return counter.pending > 0 || failuresOf(counter, nowMs) > 0;
}

function failuresOf({ failures, failuresUntilMs }: AttemptCounter, nowMs: number): number {
  return nowMs < failuresUntilMs ? failures : 0;
}
