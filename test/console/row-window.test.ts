import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ROWS_AT_ONCE, stepTowards } from '../../daemon/console/parts/grid/row-window.ts';
import type { RowWindow } from '../../daemon/console/parts/grid/row-window.ts';

const BEYOND = 8;

function near({ first, end }: RowWindow): RowWindow {
  return { first: Math.max(0, first - BEYOND), end: end + BEYOND };
}

/** Returns the steps to what is wanted where `seen` is seen. */
function listSteps(present: RowWindow, seen: RowWindow): readonly RowWindow[] {
  const steps: RowWindow[] = [];
  for (let shown = present; steps.length < 100;) {
    const next = stepTowards(shown, near(seen), seen);
    if (next.first === shown.first && next.end === shown.end) return steps;
    steps.push(next);
    shown = next;
  }
  throw new Error('it does not end');
}

function has({ first, end }: RowWindow, row: number): boolean {
  return row >= first && row < end;
}

function listRows({ first, end }: RowWindow): readonly number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

for (const [what, present, seen] of [
  ['down to the end', { first: 0, end: 35 }, { first: 9973, end: 10_000 }],
  ['up to the beginning', { first: 9965, end: 10_008 }, { first: 0, end: 27 }],
  ['a page down', { first: 92, end: 135 }, { first: 125, end: 152 }],
  ['a page up', { first: 92, end: 135 }, { first: 75, end: 102 }],
  ['a higher place', { first: 92, end: 110 }, { first: 100, end: 150 }],
] as const) {
  test(`a jump ${what} makes a few rows at a time, those that are seen first`, () => {
    const steps = listSteps(present, seen);
    assert.deepEqual(steps.at(-1), near(seen));
    let before: RowWindow = present;
    for (const step of steps) {
      const made = listRows(step).filter((row) => !has(before, row));
      assert.ok(made.length <= ROWS_AT_ONCE, JSON.stringify(step));
      const isSeenWhole = has(step, seen.first) && has(step, seen.end - 1);
      assert.ok(isSeenWhole || made.every((row) => has(seen, row)), JSON.stringify(step));
      before = step;
    }
  });
}

test('a jump shows the top of what is seen first', () => {
  const seen = { first: 500, end: 527 };
  assert.deepEqual(stepTowards({ first: 0, end: 35 }, near(seen), seen), { first: 500, end: 506 });
});

test('a step of one row makes one row, and drops one', () => {
  const seen = { first: 11, end: 38 };
  assert.deepEqual(stepTowards({ first: 2, end: 45 }, near(seen), seen), { first: 3, end: 46 });
});

test('a place that holds still keeps its rows', () => {
  const seen = { first: 10, end: 37 };
  assert.deepEqual(stepTowards(near(seen), near(seen), seen), near(seen));
});
