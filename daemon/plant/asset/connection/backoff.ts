const FIRST_DELAY_MS = 250;
// An attempt is made only when a client reads, and costs one packet. The longest wait favours quick recovery: a device
// that returns yields its first value within two seconds.
const MAXIMUM_DELAY_MS = 1600;
const JITTER = 0.2;

/**
 * Returns the wait before the next attempt to connect: doubling, bounded, and spread so that connections that failed
 * together do not retry together.
 *
 * @param failures number of attempts that failed in a row, from 1
 * @param random number in 0..1
 * @returns milliseconds
 */
export function backoffMs(failures: number, random: number): number {
  const delayMs = Math.min(MAXIMUM_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
}
