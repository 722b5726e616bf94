import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRandom } from '../support/random.ts';
import { compareVersions, intervalOfMedian } from './interval.ts';
import { median } from './statistics.ts';

test('intervalOfMedian takes the ranks of the table of the sign test', () => {
  const rounds = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
  // Conover, Practical Nonparametric Statistics, table of the binomial distribution with p = 1/2.
  assert.deepEqual(intervalOfMedian(rounds(6), 0.95), { low: 1, high: 6 });
  assert.deepEqual(intervalOfMedian(rounds(9), 0.95), { low: 2, high: 8 });
  assert.deepEqual(intervalOfMedian(rounds(20), 0.95), { low: 6, high: 15 });
  assert.deepEqual(intervalOfMedian(rounds(8), 0.99), { low: 1, high: 8 });
  assert.deepEqual(intervalOfMedian(rounds(20), 0.99), { low: 4, high: 17 });
});

test('intervalOfMedian takes the t of Student where rounds are few', () => {
  const { low, high } = intervalOfMedian([-1, 0, 1], 0.95);
  // 0 ± 4.303 · 1 / √3
  assert.ok(Math.abs(low + 2.484) < 0.001 && Math.abs(high - 2.484) < 0.001, `${low} to ${high}`);
});

test('intervalOfMedian reaches as many times up as down where few rounds are all above zero', () => {
  const { low, high } = intervalOfMedian([1, 2, 4], 0.95);
  assert.ok(low > 0);
  assert.ok(Math.abs(high / 2 - 2 / low) < 1e-9, `${low} to ${high}`);
});

test('intervalOfMedian knows nothing after one round', () => {
  const nothing = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  assert.deepEqual(intervalOfMedian([3], 0.95), nothing);
});

for (const [count, confidence] of [
  [3, 0.95],
  [7, 0.99],
  [9, 0.95],
  [21, 0.95],
] as const) {
  test(`intervalOfMedian of ${count} rounds holds the median as often as promised, ${confidence}`, () => {
    const random = createRandom(11);
    // The logarithms of times and ratios have the bell of a sum of a few; their median is 1.
    const measure = (): number => Math.exp((random() + random() + random() + random() - 2) / 2);
    const trials = 4000;
    let held = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const { low, high } = intervalOfMedian(Array.from({ length: count }, measure), confidence);
      if (low <= 1 && high >= 1) held += 1;
    }
    assert.ok(held / trials > confidence - 0.015, `${held} of ${trials}`);
  });
}

const RATIOS = [0.93, 0.95, 0.94, 0.96, 0.92, 0.95, 0.94, 0.93, 0.97, 0.94];

test('compareVersions says better or worse when all that the ratios allow lies on one side', () => {
  assert.equal(compareVersions(RATIOS, 'LESS').verdict, 'better');
  assert.equal(compareVersions(RATIOS, 'MORE').verdict, 'worse');
  const inverse = RATIOS.map((ratio) => 1 / ratio);
  assert.equal(compareVersions(inverse, 'LESS').verdict, 'worse');
  assert.equal(compareVersions(inverse, 'MORE').verdict, 'better');
});

test('compareVersions shows no difference where the ratios lie on both sides, or are few and far apart', () => {
  const none = 'no difference that this machine can show';
  const mixed = [...RATIOS.slice(1), 1.02];
  assert.equal(compareVersions(mixed, 'LESS').verdict, none);
  assert.equal(compareVersions([0.8, 0.9, 0.7], 'LESS').verdict, none);
  assert.equal(compareVersions(mixed, 'LESS').ratio, median(mixed));
});
