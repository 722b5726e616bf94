import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MessageRate } from '../../../../bundles/mqtt/delivery/message-rate.ts';

test('messages are a second apart by the number of them, and time that was not used is not made up for', () => {
  const rate = new MessageRate(10);
  assert.deepEqual(
    [0, 0, 0, 1000, 1000].map((nowMs) => rate.reserve(nowMs)),
    [0, 100, 200, 0, 100],
  );
});

test('a new rate holds for the messages that follow', () => {
  const rate = new MessageRate(1);
  rate.reserve(0);
  rate.setRate(100);
  assert.equal(rate.reserve(0), 1000);
  assert.equal(rate.reserve(0), 1010);
});
