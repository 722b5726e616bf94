import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeReturn } from './return-spread.ts';

test('the busiest second is one of the clock, and the last connection ends the return', () => {
  assert.deepEqual(describeReturn([2500, 900, 1100, 1999]), {
    connections: 4,
    busiestSecond: 2,
    medianMs: 1999,
    lastMs: 2500,
  });
});

test('without connections nothing is busy', () => {
  const { connections, busiestSecond } = describeReturn([]);
  assert.deepEqual([connections, busiestSecond], [0, 0]);
});
