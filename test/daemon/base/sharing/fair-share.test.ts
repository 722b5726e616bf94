import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isWithinShare } from '../../../../daemon/base/sharing/fair-share.ts';

/** Lets each party take its maximum, one after the other. */
function takeInTurn(maximum: number, count: number, largestShare?: number): readonly number[] {
  let used = 0;
  return Array.from({ length: count }, () => {
    let own = 0;
    while (isWithinShare({ own, used, maximum, largestShare }, 1)) {
      own += 1;
      used += 1;
    }
    return own;
  });
}

test('a single party gets half, and later ones find room', () => {
  assert.deepEqual(takeInTurn(64, 4), [32, 16, 8, 4]);
});

test('small numbers are used up to the last one', () => {
  assert.deepEqual(takeInTurn(9, 5), [5, 2, 1, 1, 0]);
  assert.deepEqual(takeInTurn(1, 2), [1, 0]);
});

test('no party gets more than the largest share', () => {
  assert.deepEqual(takeInTurn(64, 5, 8), [8, 8, 8, 8, 8]);
});

test('no party gets more than is left, whatever it holds', () => {
  assert.equal(isWithinShare({ own: 0, used: 60, maximum: 64 }, 5), false);
  assert.equal(isWithinShare({ own: 0, used: 60, maximum: 64 }, 4), true);
});
