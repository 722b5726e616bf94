import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SpareTurns } from '../../../daemon/base/spare-turns.ts';

/** An event loop whose iterations a test makes. */
class ManualLoop {
  #nowMs = 0;
  #events = 0;
  #actions: (() => void)[] = [];

  monotonicMs(): number {
    return this.#nowMs;
  }

  countEvents(): number {
    return this.#events;
  }

  afterNextEvents(action: () => void): void {
    this.#actions.push(action);
  }

  /** Returns true if something waits for the end of an iteration. */
  get isWatched(): boolean {
    return this.#actions.length > 0;
  }

  /** Takes an iteration in which events come, and lets those run whose turn it is. */
  async iterate({ events = 0, ms = 0.01 }: { readonly events?: number; readonly ms?: number } = {}) {
    this.#events += events;
    this.#nowMs += ms;
    const actions = this.#actions;
    this.#actions = [];
    for (const action of actions) action();
    await Promise.resolve();
  }
}

function createBench() {
  const loop = new ManualLoop();
  const turns = new SpareTurns(loop);
  const taken: string[] = [];
  const take = (name: string): void => void turns.next().then(() => taken.push(name));
  return { loop, taken, take };
}

test('a turn is given at the end of an iteration without events', async () => {
  const { loop, taken, take } = createBench();
  take('work');
  await Promise.resolve();
  assert.deepEqual(taken, []);
  await loop.iterate();
  assert.deepEqual(taken, ['work']);
});

test('callers have their turns in order, one in each iteration', async () => {
  const { loop, taken, take } = createBench();
  for (const name of ['first', 'second', 'third']) take(name);
  for (const expected of [['first'], ['first', 'second'], ['first', 'second', 'third']]) {
    await loop.iterate();
    assert.deepEqual(taken, expected);
  }
  assert.equal(loop.isWatched, false);
});

test('a turn waits until what an event has caused is over', async () => {
  const { loop, taken, take } = createBench();
  take('work');
  // A request, then the response of its device: each is followed by iterations without events.
  for (const events of [1, 0, 0, 2, 0, 0, 0]) await loop.iterate({ events, ms: 0.1 });
  assert.deepEqual(taken, []);
  await loop.iterate({ ms: 0.1 });
  assert.deepEqual(taken, ['work']);
});

test('a turn comes after a bounded time in any case, and the next one after as long again', async () => {
  const { loop, taken, take } = createBench();
  take('first');
  take('second');
  const iterations: number[] = [];
  for (let count = 1; count <= 12; count += 1) {
    const { length } = taken;
    await loop.iterate({ events: 1, ms: 1 });
    if (taken.length > length) iterations.push(count);
  }
  assert.deepEqual(
    [taken, iterations],
    [
      ['first', 'second'],
      [4, 9],
    ],
  );
});

test('work that is late for its next turn does not get it at once', async () => {
  const { loop, taken, take } = createBench();
  take('first');
  await loop.iterate();
  await loop.iterate({ events: 1, ms: 100 });
  take('second');
  await loop.iterate({ events: 1 });
  assert.deepEqual(taken, ['first']);
  await loop.iterate({ ms: 0.5 });
  assert.deepEqual(taken, ['first', 'second']);
});
