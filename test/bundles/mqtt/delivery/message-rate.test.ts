import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MessageRate } from '../../../../bundles/mqtt/delivery/message-rate.ts';

test('messages come evenly, and a delay of up to 100 ms is made up for', () => {
  const rate = new MessageRate(10);
  assert.deepEqual(
    [0, 0, 0, 1000, 1000, 1000, 1250, 1250].map((nowMs) => rate.reserve(nowMs)),
    [0, 100, 200, 0, 0, 100, 0, 50],
  );
});

test('a new rate holds for the messages that follow', () => {
  const rate = new MessageRate(1);
  rate.reserve(0);
  rate.setRate(100);
  assert.equal(rate.reserve(0), 1000);
  assert.equal(rate.reserve(0), 1010);
});
