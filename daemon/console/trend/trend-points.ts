import type { Samples } from './samples.ts';

/** A part of time, and how far values are known in it. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
  /** A value stays until another one is told; beyond this nobody can say. */
  readonly knownUntilMs: number;
}

/** A point of a curve; null: the curve ends here. */
export interface Point {
  readonly ms: number;
  readonly value: number | null;
}

// The gateway tells changes only: a slope between two of them lasts no longer than one reading.
const READING_MS = 1000;

/**
 * Gives the points that a curve has in a span, in their order: the samples, where a value was held until it changed, and where
 * a gap begins. It begins with what was held at the begin of the span and ends with what is held at its end.
 */
export function* listPoints(samples: Samples, { fromMs, untilMs, knownUntilMs }: Span): Generator<Point> {
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
