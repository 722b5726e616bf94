const FIRST_DELAY_MS = 250;
// A device is asked only when somebody reads it and an attempt costs one packet, so the longest wait is chosen for
// quick recovery: a device that returns gives its first value within two seconds.
const LONGEST_DELAY_MS = 1600;
const JITTER = 0.2;

/**
 * Gives the wait before the next attempt to connect: doubling, bounded, and spread so that many connections that
 * failed together do not try again together.
 *
 * @param failures attempts that failed in a row, from 1
 * @param random number in 0..1
 * @returns milliseconds
 */
export function backoffMs(failures: number, random: number): number {
  const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
}
