import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  recordTimeout,
  FIRST_PAUSE_MS,
  MAXIMUM_PAUSE_MS,
  CLOSED_BREAKER,
  TIMEOUT_THRESHOLD,
} from '../../../../../daemon/security/identity/provider/provider-circuit-breaker.ts';
import type { BreakerState } from '../../../../../daemon/security/identity/provider/provider-circuit-breaker.ts';

test('recordTimeout suspends after several silent requests in a row, for twice as long each time, up to a limit', () => {
  const pauses: (number | undefined)[] = [];
  let breaker: BreakerState = CLOSED_BREAKER;
  for (let request = 0; request < TIMEOUT_THRESHOLD + 8; request += 1) {
    breaker = recordTimeout(breaker, 1000, breaker.untilMs !== undefined);
    pauses.push(breaker.untilMs === undefined ? undefined : breaker.untilMs - 1000);
  }
  assert.deepEqual(pauses.slice(0, TIMEOUT_THRESHOLD - 1), [undefined, undefined]);
  assert.deepEqual(pauses.slice(TIMEOUT_THRESHOLD - 1, TIMEOUT_THRESHOLD + 2), [
    FIRST_PAUSE_MS,
    2 * FIRST_PAUSE_MS,
    4 * FIRST_PAUSE_MS,
  ]);
  assert.equal(pauses.at(-1), MAXIMUM_PAUSE_MS);
});

test('recordTimeout does not lengthen the pause for requests that were sent before the suspension', () => {
  const suspended = { consecutiveTimeouts: 3, untilMs: 2000 };
  assert.deepEqual(recordTimeout(suspended, 1500, false), suspended);
});
