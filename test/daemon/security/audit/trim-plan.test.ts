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

test('the plan is that of taking one row after the other from the largest kind', () => {
  for (let round = 0; round < 200; round += 1) {
    const rows = Array.from({ length: 1 + (round % 7) }, (_, index) => (round * 31 + index * 17) % 23);
    const counts = Object.fromEntries(rows.map((count, index) => [`kind${index}`, count]));
    const maximum = (round * 13) % 60;
    assert.deepEqual(plan(counts, maximum), takeOneByOne(counts, maximum), JSON.stringify([counts, maximum]));
  }
});

function takeOneByOne(counts: Readonly<Record<string, number>>, maximum: number): Record<string, number> {
  const left = new Map(Object.entries(counts));
  const taken: Record<string, number> = {};
  let excess = Object.values(counts).reduce((sum, rows) => sum + rows, 0) - maximum;
  for (; excess > 0; excess -= 1) {
    const most = Math.max(...left.values());
    const [kind = ''] = [...left].find(([, rows]) => rows === most) ?? [];
    left.set(kind, most - 1);
    taken[kind] = (taken[kind] ?? 0) + 1;
  }
  return taken;
}
