import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listFields, splitPlace } from '../../daemon/console/forms/change/difference-fields.ts';

test('the place of a difference is an item or a channel, and a key in it', () => {
  const split = (text: string): readonly unknown[] => {
    const { thing, key, isChannel } = splitPlace(text.split(' '));
    return [thing, key, isChannel];
  };
  assert.deepEqual(split('rest'), ['rest', '', false]);
  assert.deepEqual(split('drivers line'), ['drivers/line', '', false]);
  assert.deepEqual(split('drivers line responseTimeoutMs'), ['drivers/line', 'responseTimeoutMs', false]);
  assert.deepEqual(split('assets boiler channels'), ['assets/boiler', 'channels', false]);
  assert.deepEqual(split('assets boiler channels setpoint'), ['assets/boiler setpoint', '', true]);
  assert.deepEqual(split('assets boiler channels setpoint address offset'), [
    'assets/boiler setpoint',
    'address.offset',
    true,
  ]);
});

test('an object is listed by its fields, a plain value or a list of them as one, and a secret is not opened', () => {
  const list = (value: unknown): readonly unknown[] =>
    listFields(value).map(({ key, value: own }) => [key, own]);
  assert.deepEqual(list(7), [['', 7]]);
  assert.deepEqual(list([1, 2]), [['', [1, 2]]]);
  assert.deepEqual(list({}), [['', {}]]);
  assert.deepEqual(list({ name: 'flow', address: { unitId: 1, bits: { from: 2 } }, write: {} }), [
    ['name', 'flow'],
    ['address.unitId', 1],
    ['address.bits.from', 2],
    ['write', {}],
  ]);
  assert.deepEqual(list([{ value: 1 }]), [['0.value', 1]]);
  assert.deepEqual(list({ password: { isSet: true } }), [['password', { isSet: true }]]);
});
