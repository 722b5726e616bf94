import type { Series } from './samples.ts';

/** Time range, and the time until which its values are known. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  /** A value holds until the next report; beyond this time it is unknown. */
  readonly knownUntilMs: number;
}

/** Point of a curve; null: the curve ends here. */
export interface Point {
  readonly ms: number;
  readonly value: number | null;
}

// The gateway reports changes only: a slope between two of them lasts one read interval at most.
const READING_MS = 1000;

/**
 * Generates the points of a curve in a time range, in order: samples, ends of held values, and starts of gaps. Begins with the
 * value held at the start of the range and ends with the value held at its end.
 */
export function* listPoints(samples: Series, { fromMs, untilMs, knownUntilMs }: Span): Generator<Point> {
  const endMs = Math.min(untilMs, knownUntilMs);
  const before = samples.indexAt(fromMs);
  let index = Math.max(0, before);
  let held: Point | undefined;
  const gaps = samples.gaps.filter((gap) => (gap.untilMs ?? Infinity) > samples.timeAt(index));
  let nextGap = 0;
  for (; index < samples.length && samples.timeAt(index) <= endMs; index += 1) {
    const point = { ms: samples.timeAt(index), value: samples.valueAt(index) };
    for (let gap = gaps[nextGap]; gap !== undefined && gap.fromMs < point.ms; gap = gaps[nextGap]) {
      yield* endAt(held, gap.fromMs, fromMs);
      held = undefined;
      nextGap += 1;
    }
    if (held !== undefined && point.ms - held.ms > READING_MS && point.ms - READING_MS > fromMs) {
      yield { ms: point.ms - READING_MS, value: held.value };
    }
    if (point.ms >= fromMs) yield point;
    else if (samples.gapAt(fromMs) === undefined) yield { ms: fromMs, value: point.value };
    held = point;
  }
  const gap = gaps[nextGap];
  if (gap !== undefined && gap.fromMs <= endMs) yield* endAt(held, gap.fromMs, fromMs);
  else if (held !== undefined) yield { ms: endMs, value: held.value };
}

function* endAt(held: Point | undefined, gapMs: number, fromMs: number): Generator<Point> {
  if (held !== undefined && gapMs > fromMs) yield { ms: gapMs, value: held.value };
  yield { ms: Math.max(gapMs, fromMs), value: null };
}
