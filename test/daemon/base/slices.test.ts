import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  finish,
  forEachInTurn,
  joinInSlices,
  mapInSlices,
  runInSlices,
} from '../../../daemon/base/slices.ts';
import type { Slices } from '../../../daemon/base/slices.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function* count(steps: number, onStep: () => void = () => undefined): Slices<number> {
  for (let index = 0; index < steps; index += 1) {
    yield;
    onStep();
  }
  return steps;
}

async function collect(pieces: AsyncIterable<string>): Promise<readonly string[]> {
  const collected: string[] = [];
  for await (const piece of pieces) collected.push(piece);
  return collected;
}

test('finish does all of the work at once', () => {
  let done = 0;
  assert.equal(finish(count(1000, () => (done += 1))), 1000);
  assert.equal(done, 1000);
});

/** Returns a clock that counts the turns that others have. */
function createCountingClock() {
  const clock = new ManualClock();
  const counting = {
    turns: 0,
    advance: (ms: number) => clock.advance(ms),
    monotonicMs: () => clock.monotonicMs(),
    spareTurn: () => {
      counting.turns += 1;
      return clock.spareTurn();
    },
  };
  return counting;
}

test('others have their turn each time a slice has lasted long enough, and only then', async () => {
  const clock = createCountingClock();
  assert.equal(await runInSlices(count(1000), clock), 1000);
  assert.equal(clock.turns, 0);
  const slow = count(80, () => clock.advance(0.25));
  assert.equal(await runInSlices(slow, clock), 80);
  assert.equal(clock.turns, 20);
});

test('works that follow each other do not add up to a long turn', async () => {
  const clock = createCountingClock();
  for (let index = 0; index < 5; index += 1)
    await runInSlices(
      count(3, () => clock.advance(0.25)),
      clock,
    );
  assert.equal(clock.turns, 5);
  for (let index = 0; index < 5; index += 1)
    await runInSlices(
      count(1, () => clock.advance(0.25)),
      clock,
    );
  assert.equal(clock.turns, 5);
});

test('a list is made element by element, and others have their turn in between', async () => {
  const clock = createCountingClock();
  const elements = Array.from({ length: 80 }, (_, index) => index);
  const double = (index: number): number => {
    clock.advance(0.25);
    return 2 * index;
  };
  const doubled = await runInSlices(mapInSlices(elements, double), clock);
  assert.deepEqual(
    doubled,
    elements.map((index) => 2 * index),
  );
  assert.equal(clock.turns, 20);
});

test('work that waits for nothing lets others have their turn between two elements', async () => {
  const clock = createCountingClock();
  const done: number[] = [];
  const work = async (element: number): Promise<void> => {
    clock.advance(0.5);
    done.push(await Promise.resolve(element));
  };
  await forEachInTurn([1, 2, 3, 4, 5], clock, work);
  assert.deepEqual([done, clock.turns], [[1, 2, 3, 4, 5], 2]);
});

test('an error of the work is that of its run', async () => {
  const failing = function* (): Slices<never> {
    yield;
    throw new RangeError('no');
  };
  await assert.rejects(runInSlices(failing(), new ManualClock()), new RangeError('no'));
  assert.throws(() => finish(failing()), new RangeError('no'));
});

test('pieces of a text are joined up to a length, and others have their turn between them', async () => {
  const clock = new ManualClock();
  let turns = 0;
  const spareTurn = (): Promise<void> => {
    turns += 1;
    return clock.spareTurn();
  };
  const counting = { monotonicMs: () => clock.monotonicMs(), spareTurn };
  const slow = function* (): Generator<string> {
    for (const piece of ['ab', 'cd', 'ef', 'g']) {
      clock.advance(0.5);
      yield piece;
    }
  };
  assert.deepEqual(await collect(joinInSlices(slow(), 4, counting)), ['abcd', 'efg']);
  assert.equal(turns, 2);
  assert.deepEqual(await collect(joinInSlices([], 4, counting)), []);
});
