import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeSession } from './made-session.ts';
import { decodePayload, encodePayload } from './payload-decoder.ts';
import { messagesOf } from './session.ts';

test('decodePayload returns what was encoded, and nothing that was not', () => {
  for (const { payload } of messagesOf(makeSession().events)) {
    assert.ok(payload !== undefined);
    assert.deepEqual(decodePayload(encodePayload(payload)), payload);
  }
});

test('decodePayload keeps the values that are the defaults of the schema', () => {
  const payload = {
    timestamp: '0',
    metrics: [
      { name: '', alias: '0', isNull: false, booleanValue: false },
      { name: 'x', datatype: 0, longValue: '18446744073709551615' },
    ],
    seq: '0',
  };
  assert.deepEqual(decodePayload(encodePayload(payload)), payload);
});

test('decodePayload returns undefined for a text, cut bytes and unknown fields', () => {
  const whole = encodePayload({ timestamp: '1', metrics: [{ name: 'level', doubleValue: 1 }], seq: '1' });
  assert.equal(decodePayload(Buffer.from('{"timestamp":1}')), undefined);
  assert.equal(decodePayload(whole.subarray(0, 12)), undefined);
  // Field 30 with the number 1.
  assert.equal(decodePayload(Buffer.from([...whole, 0xf0, 0x01, 0x01])), undefined);
});
