// The first release is younger: an earlier time means an empty clock battery.
const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** True if the system clock is plausible: certificates and tokens are verified with it. */
export function isPlausibleTime(epochMs: number): boolean {
  return epochMs >= EARLIEST_MS;
}
