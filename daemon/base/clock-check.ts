// The first release is not older; an earlier clock has lost its battery and has not been set since.
const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** Whether the clock of the machine can be right: certificates and tokens are verified against it. */
export function isPlausibleTime(epochMs: number): boolean {
  return epochMs >= EARLIEST_MS;
}
