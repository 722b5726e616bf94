/** Attempts of one name, or from one address: those that failed and those in progress. */
export interface AttemptCounter {
  readonly freeFailures: number;
  failures: number;
  /** Attempts in progress; each counts as a failure until its outcome is known. */
  pending: number;
  blockedUntilMs: number;
  failuresUntilMs: number;
  /** Callbacks that resume the attempts that wait for those in progress, in order of arrival; empty unless `isTaken`. */
  readonly waiting: (() => void)[];
}

/** The delay doubles with each failure up to this. */
export const LONGEST_DELAY_SECONDS = 60;

/** Time without another failure after which failures are forgotten. */
export const FORGET_AFTER_MS = 15 * 60_000;

/** Creates a counter without failures. */
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
 * Returns whether another attempt depends on those in progress.
 *
 * Those in progress count as failed: concurrent attempts get no more answers than the same attempts would get in
 * sequence. Once failures are no longer free, attempts run one at a time.
 */
export function isTaken(counter: AttemptCounter, nowMs: number): boolean {
  return counter.pending > 0 && failuresOf(counter, nowMs) + counter.pending >= counter.freeFailures;
}

/** Resumes waiting attempts until one of those in progress decides about the rest. */
export function resumeWaiting(counter: AttemptCounter, nowMs: number): void {
  while (counter.waiting.length > 0 && !isTaken(counter, nowMs)) counter.waiting.shift()?.();
}

/**
 * Counts a failure.
 *
 * @returns seconds during which further attempts are refused; 0 while failures are free
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

/** Forgets failures; attempts in progress stay counted. */
export function clearFailures(counter: AttemptCounter): void {
  counter.failures = 0;
  counter.blockedUntilMs = 0;
}

/** Returns whether the counter holds anything that has to be remembered. */
export function isInUse(counter: AttemptCounter, nowMs: number): boolean {
  return counter.pending > 0 || failuresOf(counter, nowMs) > 0;
}

function failuresOf({ failures, failuresUntilMs }: AttemptCounter, nowMs: number): number {
  return nowMs < failuresUntilMs ? failures : 0;
}
