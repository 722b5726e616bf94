import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readDeviceCommand } from '../../../../bundles/penstock-sparkplug/command/device-command.ts';
import { AliasBook, defineNode } from '../../../../bundles/penstock-sparkplug/node/node-definition.ts';
import { decodePayload } from '../../../../bundles/penstock-sparkplug/payload/payload-reader.ts';
import { encodeSparkplug } from '../../../support/sparkplug-payload.ts';
import { makeChannel } from '../running-node.ts';

const NOW = 1_700_000_000_000;
const TYPES = ['BOOLEAN', 'INTEGER', 'LONG', 'FLOAT', 'DOUBLE', 'STRING', 'BYTE_ARRAY'];
const device = defineNode(
  TYPES.map((valueType) => makeChannel('pump', valueType, { valueType, isWritable: true })),
  new AliasBook(),
).get('pump');

/** @param timestamp 0: none */
function read(metrics: readonly object[], timestamp: number = NOW) {
  const payload = decodePayload(encodeSparkplug({ ...(timestamp === 0 ? {} : { timestamp }), metrics }));
  assert.ok(!('fault' in payload));
  return readDeviceCommand(payload, device, { nowMs: NOW, maximumAgeMs: 60_000 });
}

for (const [name, metric, expected] of [
  ['BOOLEAN', { booleanValue: true }, true],
  ['INTEGER', { intValue: 4_294_967_295 }, -1],
  ['INTEGER', { intValue: 255, datatype: 1 }, -1],
  ['INTEGER', { intValue: 255, datatype: 5 }, 255],
  ['INTEGER', { intValue: 65_535, datatype: 2 }, -1],
  ['INTEGER', { longValue: '42' }, 42],
  ['LONG', { longValue: '18446744073709551615' }, -1n],
  ['LONG', { intValue: 7 }, 7n],
  ['LONG', { longValue: '18446744073709551615', datatype: 8 }, 2n ** 64n - 1n],
  ['FLOAT', { floatValue: 1.5 }, 1.5],
  ['FLOAT', { doubleValue: 2.5 }, 2.5],
  ['DOUBLE', { intValue: 4_294_967_295, datatype: 3 }, -1],
  ['STRING', { stringValue: 'on' }, 'on'],
  ['BYTE_ARRAY', { bytesValue: Buffer.from([1, 2]) }, Uint8Array.of(1, 2)],
] as const) {
  test(`${JSON.stringify(metric)} for ${name} writes ${String(expected)}`, () => {
    assert.deepEqual(read([{ name, ...metric }]), { writes: [{ name, type: name, value: expected }] });
  });
}

test('a metric is found by its alias', () => {
  assert.deepEqual(read([{ alias: 1, booleanValue: false }]), {
    writes: [{ name: 'BOOLEAN', type: 'BOOLEAN', value: false }],
  });
});

for (const [reason, metrics, timestamp] of [
  [/^it has no metric$/, [], NOW],
  [/^the metric "flow" is unknown$/, [{ name: 'flow', doubleValue: 1 }], NOW],
  [/^the alias 99 is unknown$/, [{ alias: 99, doubleValue: 1 }], NOW],
  [/^the alias 1 is not that of "LONG"$/, [{ name: 'LONG', alias: 1, longValue: '1' }], NOW],
  [/^"LONG" is historical$/, [{ name: 'LONG', longValue: '1', isHistorical: true }], NOW],
  [/^"LONG" is null$/, [{ name: 'LONG', isNull: true }], NOW],
  [/^the value of "LONG" is no LONG$/, [{ name: 'LONG' }], NOW],
  [/^the value of "LONG" is no LONG$/, [{ name: 'LONG', doubleValue: 1 }], NOW],
  [/^the value of "BOOLEAN" is no BOOLEAN$/, [{ name: 'BOOLEAN', intValue: 1 }], NOW],
  [/^the value of "STRING" is no STRING$/, [{ name: 'STRING', bytesValue: Buffer.from('a') }], NOW],
  [/^the value of "DOUBLE" is no DOUBLE$/, [{ name: 'DOUBLE', longValue: '9007199254740993' }], NOW],
  [/^it has no timestamp$/, [{ name: 'LONG', longValue: '1' }], 0],
  [/^its timestamp is 61 s old$/, [{ name: 'LONG', longValue: '1' }], NOW - 61_000],
  [/^its timestamp is 61 s in the future$/, [{ name: 'LONG', longValue: '1' }], NOW + 61_000],
  [/^its timestamp is 120 s old$/, [{ name: 'LONG', longValue: '1', timestamp: NOW - 120_000 }], NOW],
] as const) {
  test(`a command is refused as a whole: ${reason.source}`, () => {
    const given = metrics.length === 0 ? metrics : [{ name: 'BOOLEAN', booleanValue: true }, ...metrics];
    const command = read(given, timestamp);
    assert.ok('refusal' in command);
    assert.match(command.refusal, reason);
  });
}

test('a command to an unknown device is refused', () => {
  const payload = decodePayload(encodeSparkplug({ timestamp: NOW, metrics: [{ name: 'a', intValue: 1 }] }));
  assert.ok(!('fault' in payload));
  const command = readDeviceCommand(payload, undefined, { nowMs: NOW, maximumAgeMs: 60_000 });
  assert.deepEqual(command, { refusal: 'the device is unknown' });
});
