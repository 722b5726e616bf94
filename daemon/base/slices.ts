import type { Clock } from './clock.ts';

/** What work in slices needs of a clock. */
export type SliceClock = Pick<Clock, 'monotonicMs' | 'spareTurn'>;

/** Work on a large input that can be interrupted at each `yield`; it returns its result. */
export type Slices<Result> = Generator<void, Result, void>;

/** Longest time between two turns of the event loop, up to the next `yield` of the work. */
const SLICE_MS = 1;
/** From this length on, the last slice of a work ends its turn. */
const LAST_SLICE_MS = 0.5;

/** Does the work without interruption. */
export function finish<Result>(work: Slices<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Maps the elements, interruptible after each. */
export function* mapInSlices<Element, Result>(
  elements: Iterable<Element>,
  make: (element: Element) => Result,
): Slices<readonly Result[]> {
  const made: Result[] = [];
  for (const element of elements) {
    made.push(make(element));
    yield;
  }
  return made;
}

/**
 * Joins the pieces of a text, which are made in slices.
 *
 * @param length of each joined piece at least, but the last; in characters
 */
export async function* joinInSlices(
  pieces: Iterable<string>,
  length: number,
  clock: SliceClock,
): AsyncGenerator<string, void, undefined> {
  let [joined, joinedLength]: [string[], number] = [[], 0];
  let startMs = clock.monotonicMs();
  for (const piece of pieces) {
    joined.push(piece);
    joinedLength += piece.length;
    if (joinedLength >= length) {
      yield joined.join('');
      [joined, joinedLength] = [[], 0];
    }
    if (clock.monotonicMs() - startMs < SLICE_MS) continue;
    await clock.spareTurn();
    startMs = clock.monotonicMs();
  }
  if (joinedLength > 0) yield joined.join('');
}

/**
 * Does the work in slices, between which everything else that waits has its turn; also at the end, so that the slices of works
 * that follow each other do not add up.
 *
 * @throws whatever the work throws
 */
export async function runInSlices<Result>(work: Slices<Result>, clock: SliceClock): Promise<Result> {
  let startMs = clock.monotonicMs();
  for (;;) {
    const step = work.next();
    if (step.done === true) {
      if (clock.monotonicMs() - startMs >= LAST_SLICE_MS) await clock.spareTurn();
      return step.value;
    }
    if (clock.monotonicMs() - startMs < SLICE_MS) continue;
    await clock.spareTurn();
    startMs = clock.monotonicMs();
  }
}

/** Runs asynchronous work for each element in order; other work has its turn in between, also if none of it waits for anything. */
export async function forEachInTurn<Element>(
  elements: Iterable<Element>,
  clock: SliceClock,
  work: (element: Element) => Promise<void>,
): Promise<void> {
  let startMs = clock.monotonicMs();
  for (const element of elements) {
    await work(element);
    if (clock.monotonicMs() - startMs < SLICE_MS) continue;
    await clock.spareTurn();
    startMs = clock.monotonicMs();
  }
}
