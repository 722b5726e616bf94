import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planRetention } from '../../../../daemon/security/audit/row-counts.ts';

const plan = (counts: Record<string, number>, maximum: number): Record<string, number> =>
  Object.fromEntries(planRetention(new Map(Object.entries(counts)), maximum));

test('nothing is removed up to the bound', () => {
  assert.deepEqual(plan({}, 10), {});
  assert.deepEqual(plan({ a: 4, b: 6 }, 10), {});
});

test('the kind with the most rows loses them', () => {
  assert.deepEqual(plan({ flood: 90, rare: 3, other: 20 }, 100), { flood: 13 });
});

test('kinds that reach the same number share the loss', () => {
  assert.deepEqual(plan({ a: 50, b: 40, c: 2 }, 62), { a: 20, b: 10 });
});

test('a bound of zero removes everything', () => {
  assert.deepEqual(plan({ a: 2, b: 1 }, 0), { a: 2, b: 1 });
});
