import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeReason, isPermanent } from '../../../../bundles/mqtt/broker/reason-codes.ts';

test('describeReason names codes of MQTT 5 and 3.1.1, and those that it lacks', () => {
  assert.equal(describeReason(0x87), 'not authorized (0x87)');
  assert.equal(describeReason(5), 'not authorized (0x05)');
  assert.equal(describeReason(0xfe), 'unknown reason (0xfe)');
});

test('isPermanent is true for wrong credentials and false for a broker that is busy', () => {
  assert.deepEqual([4, 5, 0x86, 0x87].map(isPermanent), [true, true, true, true]);
  assert.deepEqual([3, 0x88, 0x89, 0x97].map(isPermanent), [false, false, false, false]);
});
