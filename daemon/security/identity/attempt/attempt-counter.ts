/** Counter of failed and pending attempts of one name or address. */
export interface AttemptCounter {
  readonly freeFailures: number;
  failures: number;
  /** Pending attempts; each counts as a failure until its outcome is known. */
  pending: number;
  blockedUntilMs: number;
  failuresUntilMs: number;
  /** Callbacks that resume queued attempts, in order of arrival; empty unless `isTaken`. */
  readonly waiting: (() => void)[];
}

/** Upper bound of the delay, which doubles with each failure. */
export const MAXIMUM_DELAY_SECONDS = 60;

/** Time without a failure after which the counter is reset. */
export const FORGET_AFTER_MS = 15 * 60_000;

/** Creates a counter without failures. */
export function createAttemptCounter(freeFailures: number): AttemptCounter {
  return { freeFailures, failures: 0, pending: 0, blockedUntilMs: 0, failuresUntilMs: 0, waiting: [] };
}

/**
 * Returns the delay of the next attempt.
 *
 * @returns whole seconds; 0: no delay
 */
export function waitSecondsOf(counter: AttemptCounter | undefined, nowMs: number): number {
  if (counter === undefined) return 0;
  const blockedSeconds = blockedSecondsOf(counter, nowMs);
  if (blockedSeconds > 0) return blockedSeconds;
  return isTaken(counter, nowMs) ? 1 : 0;
}

/** Returns the remaining whole seconds for which attempts are rejected after failures. */
export function blockedSecondsOf({ blockedUntilMs }: AttemptCounter, nowMs: number): number {
  return Math.max(0, Math.ceil((blockedUntilMs - nowMs) / 1000));
}

/**
 * Returns true if another attempt must wait for pending ones.
 *
 * Pending attempts count as failed, so that concurrent attempts gain nothing over sequential ones. Once the free failures are
 * used up, attempts run one at a time.
 */
export function isTaken(counter: AttemptCounter, nowMs: number): boolean {
  return counter.pending > 0 && failuresOf(counter, nowMs) + counter.pending >= counter.freeFailures;
}

/** Resumes queued attempts until the next one depends on a pending attempt. */
export function resumeWaiting(counter: AttemptCounter, nowMs: number): void {
  while (counter.waiting.length > 0 && !isTaken(counter, nowMs)) counter.waiting.shift()?.();
}

/**
 * Counts a failure.
 *
 * @returns seconds for which further attempts are rejected; 0 while failures are free
 */
export function countFailure(counter: AttemptCounter, nowMs: number): number {
  counter.failures = failuresOf(counter, nowMs) + 1;
  counter.failuresUntilMs = nowMs + FORGET_AFTER_MS;
  const beyond = counter.failures - counter.freeFailures;
  if (beyond < 0) return 0;
  const delaySeconds = Math.min(MAXIMUM_DELAY_SECONDS, 2 ** beyond);
  counter.blockedUntilMs = nowMs + delaySeconds * 1000;
  return delaySeconds;
}

/** Resets the failures; pending attempts remain counted. */
export function clearFailures(counter: AttemptCounter): void {
  counter.failures = 0;
  counter.blockedUntilMs = 0;
}

/** Returns true if the counter has pending attempts or failures. */
export function isInUse(counter: AttemptCounter, nowMs: number): boolean {
  return counter.pending > 0 || failuresOf(counter, nowMs) > 0;
}

function failuresOf({ failures, failuresUntilMs }: AttemptCounter, nowMs: number): number {
  return nowMs < failuresUntilMs ? failures : 0;
}
