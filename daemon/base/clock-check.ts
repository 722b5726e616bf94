// The first release is not older; a clock before that has lost its battery, and nobody has set it since.
const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** Whether the clock of the machine can be right: certificates and tokens are judged by it. */
export function isPlausibleTime(epochMs: number): boolean {
  return epochMs >= EARLIEST_MS;
}
