import type { Clock } from './clock.ts';

/** Work on a large input that can be interrupted at each `yield`; it returns its result. */
export type Slices<Result> = Generator<void, Result, void>;

/** Longest time between two turns of the event loop, up to the next `yield` of the work. */
const SLICE_MS = 10;

/** Does the work without interruption. */
export function finish<Result>(work: Slices<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Does the work in slices, between which everything else that waits has its turn.
 *
 * @throws whatever the work throws
 */
export async function runInSlices<Result>(
  work: Slices<Result>,
  clock: Pick<Clock, 'monotonicMs' | 'nextTurn'>,
): Promise<Result> {
  let startMs = clock.monotonicMs();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (clock.monotonicMs() - startMs < SLICE_MS) continue;
    await clock.nextTurn();
    startMs = clock.monotonicMs();
  }
}
