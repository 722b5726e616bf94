import type { Point, Span } from './trend-points.ts';

/** Slots per pixel column. */
const SLOTS = 4;

/** Returns the times of the slots of a time range. */
export function slotTimes({ fromMs, untilMs }: Span, columns: number): readonly number[] {
  const count = columns * SLOTS;
  const slotMs = (untilMs - fromMs) / count;
  return Array.from({ length: count }, (_slot, index) => fromMs + (index + 0.5) * slotMs);
}

/**
 * Downsamples points to pixel columns: keeps the first, smallest, largest and last point of each column, so that
 * a peak of one sample is visible in any time range.
 *
 * @returns value of each slot; null: no curve; undefined: skipped
 */
export function toSlots(
  points: Iterable<Point>,
  { fromMs, untilMs }: Span,
  columns: number,
): (number | null | undefined)[] {
  const slots = Array.from<number | null | undefined>({ length: columns * SLOTS });
  const columnMs = (untilMs - fromMs) / columns;
  const placeOf = (index: number) => ({
    base: index * SLOTS,
    startMs: fromMs + index * columnMs,
    columnMs,
  });
  let current: Point[] = [];
  let column = 0;
  for (const point of points) {
    const next = Math.min(columns - 1, Math.max(0, Math.floor((point.ms - fromMs) / columnMs)));
    if (next !== column) {
      putColumn(slots, current, placeOf(column));
      current = [];
      column = next;
    }
    current.push(point);
  }
  putColumn(slots, current, placeOf(column));
  holdGaps(slots);
  return slots;
}

/** The chart library ends a gap at the first skipped slot, so every slot of a gap must be null. */
function holdGaps(slots: (number | null | undefined)[]): void {
  let isGap = false;
  for (const [index, value] of slots.entries()) {
    if (value === undefined && isGap) slots[index] = null;
    else if (value !== undefined) isGap = value === null;
  }
}

function putColumn(
  slots: (number | null | undefined)[],
  points: readonly Point[],
  { base, startMs, columnMs }: { readonly base: number; readonly startMs: number; readonly columnMs: number },
): void {
  const [only] = points;
  if (only === undefined) return;
  if (points.length <= SLOTS) {
    // Each in the slot of its time, or in the next free one after the previous point.
    let free = 0;
    for (const [index, { ms, value }] of points.entries()) {
      const wanted = Math.floor(((ms - startMs) / columnMs) * SLOTS);
      const slot = Math.min(SLOTS - points.length + index, Math.max(free, wanted));
      slots[base + slot] = value;
      free = slot + 1;
    }
    return;
  }
  const kept = keepExtremes(points);
  for (const [index, value] of kept.entries()) slots[base + index] = value;
}

function keepExtremes(points: readonly Point[]): readonly (number | null)[] {
  let low: Point | undefined;
  let high: Point | undefined;
  for (const point of points) {
    if (point.value === null) continue;
    if (low === undefined || point.value < (low.value ?? 0)) low = point;
    if (high === undefined || point.value > (high.value ?? 0)) high = point;
  }
  const [first, second] =
    low !== undefined && high !== undefined && low.ms > high.ms ? [high, low] : [low, high];
  const extremes = [first?.value ?? null, second?.value ?? null] as const;
  const last = points.at(-1)?.value ?? null;
  const isBroken = points.some(({ value }) => value === null);
  return isBroken ? [...extremes, null, last] : [points[0]?.value ?? null, ...extremes, last];
}
