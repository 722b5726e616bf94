import type { Point, Span } from './trend-points.ts';

/** Places that each column of pixels has for points. */
const SLOTS = 4;

/** Returns the times of the slots of a span. */
export function slotTimes({ fromMs, untilMs }: Span, columns: number): readonly number[] {
  const count = columns * SLOTS;
  const slotMs = (untilMs - fromMs) / count;
  return Array.from({ length: count }, (_slot, index) => fromMs + (index + 0.5) * slotMs);
}

/**
 * Puts points into columns of pixels: of each column the first, the smallest, the largest and the last one are kept, so that
 * a peak of one sample is seen in any span.
 *
 * @returns for each slot its value; null: there is no curve, undefined is passed over
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

/** What draws the slots ends a gap at the first one that is passed over: a gap has to be one in each of its slots. */
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
    // Each where it is in time, or in the next place that is free behind the one before.
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
