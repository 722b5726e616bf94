import { createHash } from 'node:crypto';

const SHORTEST_MS = 1000;
const LONGEST_MS = 60_000;
/** Upper bound of the first delay; each further one has twice the bound of the one before. */
const FIRST_BOUND_MS = 8000;

/**
 * Returns the phase of a gateway: a number from 0 to below 1 that depends on its name alone.
 *
 * Gateways that lose their broker at the same moment come back at different times, even if their random numbers are the same.
 */
export function phaseOf(gateway: string): number {
  return createHash('sha256').update(gateway).digest().readUInt32BE(0) / 2 ** 32;
}

/**
 * Returns the delay before an attempt, with full jitter: anything from one second to a bound of 8, 16, 32 and then 60 seconds.
 *
 * @param failures number of failures in a row before this attempt, from 0
 * @param phase of the gateway; it alone determines the first delay
 * @param random a number from 0 to below 1
 * @returns milliseconds
 */
export function delayBefore(failures: number, phase: number, random: number): number {
  const bound = Math.min(LONGEST_MS, FIRST_BOUND_MS * 2 ** Math.min(failures, 10));
  // The sum of a constant and a uniform number, without its whole part, is uniform again.
  const share = failures === 0 ? phase : (phase + random) % 1;
  return Math.round(SHORTEST_MS + share * (bound - SHORTEST_MS));
}
