import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isWithinShare } from '../../../daemon/base/fair-share.ts';

/** Lets each one take all that it may, one after the other. */
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

test('one alone gets half, and those who come later find room', () => {
  assert.deepEqual(takeInTurn(64, 4), [32, 16, 8, 4]);
});

test('small numbers are used up to the last one', () => {
  assert.deepEqual(takeInTurn(9, 5), [5, 2, 1, 1, 0]);
  assert.deepEqual(takeInTurn(1, 2), [1, 0]);
});

test('nobody gets more than the largest share', () => {
  assert.deepEqual(takeInTurn(64, 5, 8), [8, 8, 8, 8, 8]);
});

test('more than is left is not given, whatever one has', () => {
  assert.equal(isWithinShare({ own: 0, used: 60, maximum: 64 }, 5), false);
  assert.equal(isWithinShare({ own: 0, used: 60, maximum: 64 }, 4), true);
});
