import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish, joinInSlices, runInSlices } from '../../../daemon/base/slices.ts';
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

test('others have their turn each time a slice has lasted long enough, and only then', async () => {
  const clock = new ManualClock();
  let turns = 0;
  const counting = {
    monotonicMs: () => clock.monotonicMs(),
    nextTurn: () => {
      turns += 1;
      return clock.nextTurn();
    },
  };
  assert.equal(await runInSlices(count(1000), counting), 1000);
  assert.equal(turns, 0);
  const slow = count(100, () => clock.advance(1));
  assert.equal(await runInSlices(slow, counting), 100);
  // The last ten steps end the work.
  assert.equal(turns, 9);
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
  const nextTurn = (): Promise<void> => {
    turns += 1;
    return clock.nextTurn();
  };
  const counting = { monotonicMs: () => clock.monotonicMs(), nextTurn };
  const slow = function* (): Generator<string> {
    for (const piece of ['ab', 'cd', 'ef', 'g']) {
      clock.advance(5);
      yield piece;
    }
  };
  assert.deepEqual(await collect(joinInSlices(slow(), 4, counting)), ['abcd', 'efg']);
  assert.equal(turns, 2);
  assert.deepEqual(await collect(joinInSlices([], 4, counting)), []);
});
