import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MemoryCheck } from './world/memory-check.ts';

const MIB = 2 ** 20;

function findBrokenDay(usedMib: readonly number[], killsPerDay = 0): number | undefined {
  let broken: number | undefined;
  let day = 0;
  const check = new MemoryCheck({
    break: () => {
      broken ??= day;
    },
  });
  for (const used of usedMib) {
    day += 1;
    check.noteDay(used * MIB, day * killsPerDay);
  }
  return broken;
}

test('memory that goes up and down holds', () => {
  assert.equal(findBrokenDay([70, 85, 90, 82, 99, 84, 110, 88, 101, 97, 83]), undefined);
});

test('memory that grows on the first day alone holds', () => {
  assert.equal(findBrokenDay([40, 85, 85, 85, 85, 85, 85, 85]), undefined);
});

test('memory that grows by eight MiB a day is noticed on the seventh', () => {
  assert.equal(findBrokenDay(Array.from({ length: 9 }, (_, day) => 80 + 8 * day)), 7);
});

test('memory that grows by one MiB a day is noticed within a month', () => {
  const broken = findBrokenDay(Array.from({ length: 30 }, (_, day) => 80 + day));
  assert.ok(broken !== undefined && broken < 30);
});

test('what gateways leave that were killed is allowed for', () => {
  const days = Array.from({ length: 20 }, (_, day) => 80 + 6 * day);
  assert.equal(findBrokenDay(days, 1), undefined);
  assert.notEqual(findBrokenDay(days), undefined);
});
