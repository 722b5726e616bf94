import assert from 'node:assert/strict';
import { test } from 'node:test';

import { backoffMs } from '../../../../../daemon/plant/asset/connection/backoff.ts';

test('backoffMs doubles from 250 ms and is bounded', () => {
  const delays = [1, 2, 3, 4, 5, 50, 1e9].map((failures) => backoffMs(failures, 0.5));
  assert.deepEqual(delays, [250, 500, 1000, 1600, 1600, 1600, 1600]);
});

test('backoffMs varies by a fifth in both directions', () => {
  assert.deepEqual([backoffMs(1, 0), backoffMs(1, 1)], [200, 300]);
  assert.deepEqual([backoffMs(9, 0), backoffMs(9, 1)], [1280, 1920]);
});
