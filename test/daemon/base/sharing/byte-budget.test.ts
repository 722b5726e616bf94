import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ByteBudget, STALE_AFTER_MS } from '../../../../daemon/base/sharing/byte-budget.ts';
import type { Holding } from '../../../../daemon/base/sharing/byte-budget.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function createBudget(maximumBytes = 100) {
  const clock = new ManualClock(0);
  const budget = new ByteBudget({ maximumBytes, clock });
  const givenUp: string[] = [];
  const open = (party: string, name = party): Holding =>
    budget.open({ party, giveUp: () => givenUp.push(name) });
  return { budget, clock, givenUp, open };
}

test('resize counts what all parties hold, and release frees it', () => {
  const { budget, open } = createBudget();
  const [a, b] = [open('a'), open('b')];
  assert.equal(a.resize(60), true);
  assert.equal(b.resize(40), true);
  assert.equal(budget.heldBytes, 100);
  a.resize(10);
  assert.equal(budget.heldBytes, 50);
  a.release();
  a.release();
  b.release();
  assert.equal(budget.heldBytes, 0);
});

test('resize refuses the party that would hold most, and keeps what it held', () => {
  const { budget, givenUp, open } = createBudget();
  const greedy = open('greedy');
  open('modest').resize(30);
  assert.equal(greedy.resize(60), true);
  assert.equal(greedy.resize(90), false);
  assert.equal(budget.heldBytes, 90);
  assert.deepEqual(givenUp, []);
});

test('resize takes the oldest holdings of the party that holds most', () => {
  const { budget, givenUp, open } = createBudget();
  for (const name of ['first', 'second', 'third']) open('greedy', name).resize(30);
  assert.equal(open('modest').resize(30), true);
  assert.deepEqual(givenUp, ['first']);
  assert.equal(open('newcomer').resize(30), true);
  assert.deepEqual(givenUp, ['first', 'second']);
  assert.equal(budget.heldBytes, 90);
});

test('many holdings of one party count as one', () => {
  const { givenUp, open } = createBudget();
  open('single').resize(40);
  for (let index = 0; index < 6; index += 1) open('many', `many ${index}`).resize(10);
  assert.equal(open('newcomer').resize(10), true);
  assert.deepEqual(givenUp, ['many 0']);
});

test('a party that holds most loses its own stale holding, and no fresh one', () => {
  const { clock, givenUp, open } = createBudget();
  open('a', 'stale').resize(90);
  const asking = open('a', 'asking');
  assert.equal(asking.resize(50), false);
  clock.advance(STALE_AFTER_MS);
  assert.equal(asking.resize(50), true);
  assert.deepEqual(givenUp, ['stale']);
});

test('a holding larger than the whole budget is refused', () => {
  const { budget, open } = createBudget();
  assert.equal(open('a').resize(101), false);
  assert.equal(budget.heldBytes, 0);
});

test('force counts in any case, and takes whatever others can release', () => {
  const { budget, givenUp, open } = createBudget();
  open('other').resize(90);
  open('a').force(80);
  assert.deepEqual(givenUp, ['other']);
  assert.equal(budget.heldBytes, 80);
  open('a').force(80);
  assert.equal(budget.heldBytes, 160);
});
