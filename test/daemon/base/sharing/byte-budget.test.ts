import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ByteBudget, STALE_AFTER_MS } from '../../../../daemon/base/sharing/byte-budget.ts';
import type { Reservation } from '../../../../daemon/base/sharing/byte-budget.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function createBudget(maximumBytes = 100) {
  const clock = new ManualClock(0);
  const budget = new ByteBudget({ maximumBytes, clock });
  const evicted: string[] = [];
  const open = (party: string, name = party): Reservation =>
    budget.open({ party, onEvict: () => evicted.push(name) });
  return { budget, clock, evicted, open };
}

test('resize counts what all parties hold, and release frees it', () => {
  const { budget, open } = createBudget();
  const [a, b] = [open('a'), open('b')];
  assert.equal(a.resize(60), true);
  assert.equal(b.resize(40), true);
  assert.equal(budget.reservedBytes, 100);
  a.resize(10);
  assert.equal(budget.reservedBytes, 50);
  a.release();
  a.release();
  b.release();
  assert.equal(budget.reservedBytes, 0);
});

test('resize refuses the party that would hold most, and keeps what it held', () => {
  const { budget, evicted, open } = createBudget();
  const greedy = open('greedy');
  open('modest').resize(30);
  assert.equal(greedy.resize(60), true);
  assert.equal(greedy.resize(90), false);
  assert.equal(budget.reservedBytes, 90);
  assert.deepEqual(evicted, []);
});

test('resize takes the oldest reservations of the party that holds most', () => {
  const { budget, evicted, open } = createBudget();
  for (const name of ['first', 'second', 'third']) open('greedy', name).resize(30);
  assert.equal(open('modest').resize(30), true);
  assert.deepEqual(evicted, ['first']);
  assert.equal(open('newcomer').resize(30), true);
  assert.deepEqual(evicted, ['first', 'second']);
  assert.equal(budget.reservedBytes, 90);
});

test('many reservations of one party count as one', () => {
  const { evicted, open } = createBudget();
  open('single').resize(40);
  for (let index = 0; index < 6; index += 1) open('many', `many ${index}`).resize(10);
  assert.equal(open('newcomer').resize(10), true);
  assert.deepEqual(evicted, ['many 0']);
});

test('a party that holds most loses its own stale reservation, and no fresh one', () => {
  const { clock, evicted, open } = createBudget();
  open('a', 'stale').resize(90);
  const asking = open('a', 'asking');
  assert.equal(asking.resize(50), false);
  clock.advance(STALE_AFTER_MS);
  assert.equal(asking.resize(50), true);
  assert.deepEqual(evicted, ['stale']);
});

test('a reservation larger than the whole budget is refused', () => {
  const { budget, open } = createBudget();
  assert.equal(open('a').resize(101), false);
  assert.equal(budget.reservedBytes, 0);
});

test('force counts in any case, and takes whatever others can release', () => {
  const { budget, evicted, open } = createBudget();
  open('other').resize(90);
  open('a').force(80);
  assert.deepEqual(evicted, ['other']);
  assert.equal(budget.reservedBytes, 80);
  open('a').force(80);
  assert.equal(budget.reservedBytes, 160);
});
