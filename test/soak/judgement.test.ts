import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseWindows, judge } from './judgement.ts';
import type { Sample } from './judgement.ts';

const MEMORY = 'daemon: resident memory, MiB';
const DESCRIPTORS = 'daemon: descriptors';
const DISK = 'disk: recording, KiB';

/** Makes an hour of samples, at rest at each full minute. */
function createHour(figureOf: (minute: number, isAtRest: boolean) => Sample['figures']): readonly Sample[] {
  return Array.from({ length: 6 * 60 }, (_, index) => {
    const minute = index / 6;
    const isAtRest = Number.isInteger(minute);
    return { minute, isAtRest, figures: figureOf(minute, isAtRest) };
  });
}

const judgeHour = (...[figureOf, ceilings]: [Parameters<typeof createHour>[0], Sample['figures']?]) =>
  judge(createHour(figureOf), chooseWindows(60), ceilings);

test('memory that grows by more than 2 % from the tenth minute on is growth', () => {
  const grow = (share: number) => judgeHour((minute) => ({ [MEMORY]: 100 * (1 + (share * minute) / 60) }))[0];
  assert.equal(grow(0.02)?.isBroken, false);
  assert.equal(grow(0.04)?.isBroken, true);
});

test('memory counts by its least value, which a collection leaves', () => {
  const [verdict] = judgeHour((minute) => ({ [MEMORY]: minute % 2 === 0 ? 100 : 100 + minute }));
  assert.deepEqual(verdict, { figure: MEMORY, early: 100, late: 100, limit: 102, isBroken: false });
});

test('the heap may grow until the streams are full, and no longer', () => {
  const heap = 'daemon: heap, MiB';
  const fill = (until: number) =>
    judgeHour((minute) => ({ [heap]: 60 + Math.min(minute, until) / 4 }))[0]?.isBroken;
  assert.deepEqual([fill(20), fill(50)], [false, true]);
});

test('descriptors count at rest alone, and by their middle value', () => {
  const [verdict] = judgeHour((minute, isAtRest) => ({
    [DESCRIPTORS]: !isAtRest && minute > 50 ? 90 : minute === 59 ? 70 : 50,
  }));
  assert.deepEqual([verdict?.early, verdict?.late], [50, 50]);
});

test('the disk counts by its peaks, and may fill what the configuration allows', () => {
  const fill = (minute: number): Sample['figures'] => ({
    [DISK]: minute % 1 === 0.5 && minute > 57 ? 150 : 100,
  });
  assert.equal(judgeHour(fill)[0]?.late, 150);
  assert.equal(judgeHour(fill)[0]?.isBroken, true);
  assert.equal(judgeHour(fill, { [DISK]: 150 })[0]?.isBroken, false);
});

test('what is there at the end alone is growth', () => {
  const [verdict] = judgeHour((minute) => (minute > 30 ? { 'daemon: descriptors, pipe': 1 } : {}));
  assert.deepEqual([verdict?.early, verdict?.late, verdict?.isBroken], [0, 1, true]);
});

test('a run without samples in a window shows no growth that could be excluded', () => {
  const [verdict] = judge([{ minute: 9, isAtRest: true, figures: { [MEMORY]: 100 } }], chooseWindows(60));
  assert.equal(verdict?.isBroken, true);
});

test('shorter runs compare what is closer to their start', () => {
  assert.deepEqual(chooseWindows(60), { early: [8, 13], filled: [20, 25], late: [55, Infinity] });
  assert.deepEqual(chooseWindows(30), { early: [8, 13], filled: [8, 13], late: [25, Infinity] });
  assert.deepEqual(chooseWindows(10), { early: [3, 6], filled: [3, 6], late: [7.5, Infinity] });
});
