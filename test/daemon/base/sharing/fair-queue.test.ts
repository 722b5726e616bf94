import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FairQueue } from '../../../../daemon/base/sharing/fair-queue.ts';

function createQueue(limits: { maximum?: number; maximumPerSource?: number } = {}) {
  const queue = new FairQueue<string>({ maximum: 100, maximumPerSource: 100, ...limits });
  const addMany = (count: number, ...source: string[]): readonly (string | undefined)[] =>
    Array.from({ length: count }, (_, index) => queue.add(source, `${source.join('/')}#${index}`));
  const takeMany = (count: number) => Array.from({ length: count }, () => queue.take());
  return { queue, addMany, takeMany };
}

test('items of one source keep their order', () => {
  const { addMany, takeMany } = createQueue();
  addMany(3, 'a');
  assert.deepEqual(takeMany(4), ['a#0', 'a#1', 'a#2', undefined]);
});

test('sources take turns, however many items one of them has', () => {
  const { addMany, takeMany } = createQueue();
  addMany(50, 'greedy');
  addMany(2, 'b');
  addMany(1, 'c');
  assert.deepEqual(takeMany(6), ['greedy#0', 'b#0', 'c#0', 'greedy#1', 'b#1', 'greedy#2']);
});

test('a source that comes back waits for its turn', () => {
  const { queue, addMany, takeMany } = createQueue();
  addMany(1, 'a');
  addMany(2, 'b');
  takeMany(1);
  queue.add(['a'], 'a again');
  assert.deepEqual(takeMany(3), ['b#0', 'a again', 'b#1']);
});

test('many names at one address share one turn, and take turns within it', () => {
  const { addMany, takeMany } = createQueue();
  for (const name of ['x', 'y', 'z']) addMany(1, 'address', name);
  addMany(2, 'other', 'scada');
  assert.deepEqual(takeMany(5), [
    'address/x#0',
    'other/scada#0',
    'address/y#0',
    'other/scada#1',
    'address/z#0',
  ]);
});

test('a source beyond its own bound is refused', () => {
  const { queue, addMany } = createQueue({ maximumPerSource: 2 });
  assert.deepEqual(addMany(4, 'a'), [undefined, undefined, 'a#2', 'a#3']);
  assert.equal(queue.size, 2);
});

test('in a full queue the newest item of the largest source gives way to a newcomer', () => {
  const { queue, addMany, takeMany } = createQueue({ maximum: 4 });
  addMany(1, 'address', 'modest');
  addMany(3, 'address', 'greedy');
  assert.equal(queue.add(['elsewhere', 'admin'], 'new'), 'address/greedy#2');
  assert.equal(queue.size, 4);
  assert.deepEqual(takeMany(4), ['address/modest#0', 'new', 'address/greedy#0', 'address/greedy#1']);
});

test('in a full queue the largest source itself is refused, and so is one that is as large as the others', () => {
  const { queue, addMany } = createQueue({ maximum: 3 });
  addMany(2, 'a');
  addMany(1, 'b');
  assert.equal(queue.add(['a'], 'more'), 'more');
  const { queue: even } = createQueue({ maximum: 2 });
  even.add(['a'], 'a');
  even.add(['b'], 'b');
  assert.equal(even.add(['c'], 'c'), 'c');
});

test('names invented at one address push out each other, never another address', () => {
  const { queue, addMany, takeMany } = createQueue({ maximum: 8 });
  for (let index = 0; index < 50; index += 1) addMany(1, 'address', `name${index}`);
  assert.notEqual(queue.add(['elsewhere', 'admin'], 'new'), 'new');
  assert.ok(takeMany(2).includes('new'));
});

test('an empty queue keeps nothing of its sources', () => {
  const { queue, addMany, takeMany } = createQueue({ maximum: 2 });
  addMany(2, 'a', 'x');
  takeMany(2);
  assert.equal(queue.size, 0);
  assert.equal(queue.add(['b', 'y'], 'b'), undefined);
  assert.deepEqual(takeMany(2), ['b', undefined]);
});
