/** Bounds of a value axis, and the time until which they must not shrink. */
export interface ValueRange {
  readonly low: number;
  readonly high: number;
  readonly keptUntilMs: number;
}

const KEEP_MS = 10_000;
const MARGIN = 0.05;

/**
 * Returns bounds that fit the visible values plus 5 %: they grow at once and shrink only after 10 s, so that a curve
 * does not pulsate. Zero is not forced into view.
 *
 * @param seen smallest and largest visible value; undefined: none
 * @returns undefined until there was a value
 */
export function fitRange(
  before: ValueRange | undefined,
  seen: readonly [low: number, high: number] | undefined,
  nowMs: number,
): ValueRange | undefined {
  if (seen === undefined) return before;
  const [smallest, largest] = seen;
  // A constant value is centred.
  const span = largest - smallest || Math.abs(largest) * 0.1 || 1;
  const isSteady = largest === smallest;
  const low = smallest - span * (isSteady ? 0.5 : MARGIN);
  const high = largest + span * (isSteady ? 0.5 : MARGIN);
  const wanted = { low, high, keptUntilMs: nowMs + KEEP_MS };
  if (before === undefined) return wanted;
  if (smallest < before.low || largest > before.high) {
    return { ...wanted, low: Math.min(low, before.low), high: Math.max(high, before.high) };
  }
  const isMuchNarrower = high - low < 0.8 * (before.high - before.low);
  if (!isMuchNarrower) return { ...before, keptUntilMs: nowMs + KEEP_MS };
  return nowMs < before.keptUntilMs ? before : wanted;
}

/** Returns the smallest and the largest drawn value. */
export function boundsOf(
  rows: readonly (readonly (number | null | undefined)[])[],
): readonly [number, number] | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (const row of rows) {
    for (const value of row) {
      if (value === null || value === undefined) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low > high ? undefined : [low, high];
}
