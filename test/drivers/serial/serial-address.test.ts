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
    [{ request: '{checksum}{checksum}', response: TEXT }, 'request'],
    [{ response: TEXT, refuse: '(' }, 'refuse'],
    [{ response: TEXT, unit: 'kWh' }, 'unit'],
    [{ response: TEXT, meter: '1' }, 'meter'],
    [{ obis: '1.8', request: 'W' }, 'request'],
    [{ obis: 'energy!' }, 'obis'],
    [{ obis: '1.8.0', meter: '1!' }, 'meter'],
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
  assert.deepEqual(faultsOf({ obis: '1.8.0' }), ['type']);
  assert.deepEqual(faultsOf({ obis: '1.8.0', unit: 'Wh' }, 'STRING'), ['type', 'address.unit']);
  assert.deepEqual(faultsOf({ obis: '1.8.0' }, 'BYTE_ARRAY'), ['type', 'valueType']);
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
  const framing = { type: 'IEC62056_21' };
  assert.equal(issues({ framing }), undefined);
  assert.deepEqual(issues({ framing, baudRate: 300 }), ['baudRate']);
  assert.deepEqual(issues({ framing, dataBits: 7, parity: 'even' }), ['dataBits', 'parity']);
  assert.deepEqual(issues({ framing, checksum: { kind: 'XOR' } }), ['checksum']);
  assert.deepEqual(issues({ framing: { ...framing, requestCharacter: '??' } }), ['framing.requestCharacter']);
  assert.deepEqual(issues({ framing: { ...framing, mode: 'D', wakeUp: true } }), ['framing.wakeUp']);
  assert.deepEqual(issues({ framing: { ...framing, mode: 'D', maximumBaudRate: 9600 } }), [
    'framing.maximumBaudRate',
  ]);
});
