import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkChannel } from '../../../drivers/serial/check-channel.ts';
import { addressSchema } from '../../../drivers/serial/serial-address.ts';
import { configSchema } from '../../../drivers/serial/serial-config.ts';
import { createChannel, LINES } from '../../support/serial-instrument-driver.ts';

const TEXT = { pattern: '(.*)' };

test('an address whose fields contradict each other is refused at the field', () => {
  const wrong: readonly (readonly [address: unknown, field: string])[] = [
    [{}, 'response'],
    [{ request: 'W' }, 'response'],
    [{ write: 'W', match: 'a' }, 'match'],
    [{ response: TEXT, acknowledge: 'OK' }, 'acknowledge'],
    [{ response: TEXT, decimals: 2 }, 'decimals'],
    [{ request: '\\q', response: TEXT }, 'request'],
    [{ write: 'hex:0' }, 'write'],
    [{ response: TEXT, match: '(a+)+' }, 'match'],
    [{ response: { pattern: 'none' } }, 'response'],
    [{ response: { pattern: '(a)(b)' } }, 'response'],
    [{ response: { offset: 0, dataType: 'INT16', length: 2 } }, 'response'],
  ];
  for (const [address, field] of wrong) {
    const { error } = addressSchema.safeParse(address);
    assert.equal(error?.issues[0]?.path[0], field, JSON.stringify(address));
  }
});

test('a channel that the driver cannot serve is refused at the field', () => {
  const faultsOf = (...given: Parameters<typeof createChannel>) =>
    checkChannel(createChannel(...given)).map(({ path }) => path.join('.'));
  assert.deepEqual(faultsOf({ response: TEXT, write: 'A{value}' }), []);
  assert.deepEqual(faultsOf({ response: TEXT }), ['address.write']);
  assert.deepEqual(faultsOf({ write: 'A{value}' }), ['address.response']);
  assert.deepEqual(faultsOf({ response: TEXT, write: 'A' }, 'BYTE_ARRAY'), ['valueType', 'valueType']);
  const float = { offset: 0, dataType: 'FLOAT32' };
  assert.deepEqual(faultsOf({ response: float, write: 'A' }, 'BOOLEAN'), ['valueType']);
});

test('settings that cannot work are refused', () => {
  const issues = (settings: object) =>
    configSchema
      .safeParse({ device: '/dev/ttyUSB0', framing: LINES, ...settings })
      .error?.issues.map(({ path }) => path.join('.'));
  assert.equal(issues({}), undefined);
  assert.deepEqual(issues({ device: 'ttyUSB0' }), ['device']);
  assert.deepEqual(issues({ framing: { type: 'delimiter', delimiter: '\\q' } }), ['framing.delimiter']);
  assert.deepEqual(issues({ framing: { type: 'fixedLength', length: 5000 } }), ['framing.length']);
});
