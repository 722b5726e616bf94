import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { decodePayload } from '../../../../bundles/penstock-sparkplug/payload/payload-reader.ts';
import { propertyTest } from '../../../property/property-test.ts';
import { encodeSparkplug } from '../../../support/sparkplug-payload.ts';

test('a payload of a library is read, with every kind of value', () => {
  const bytes = encodeSparkplug({
    timestamp: 1_700_000_000_000,
    metrics: [
      { name: 'a', alias: 3, timestamp: 5, datatype: 3, intValue: 4_294_967_295 },
      { alias: 4, longValue: '18446744073709551615', isHistorical: true },
      { name: 'f', floatValue: 1.5 },
      { name: 'd', doubleValue: -0.1 },
      { name: 'b', booleanValue: true },
      { name: 's', stringValue: 'ä' },
      { name: 'y', bytesValue: Buffer.from([1, 2]) },
      { name: 'n', isNull: true },
    ],
  });
  const rest = { isHistorical: false, isNull: false };
  assert.deepEqual(decodePayload(bytes), {
    timestampMs: 1_700_000_000_000,
    metrics: [
      { ...rest, name: 'a', alias: 3, timestampMs: 5, type: 3, value: { kind: 'INT', value: 4_294_967_295 } },
      { ...rest, alias: 4, value: { kind: 'LONG', value: 2n ** 64n - 1n }, isHistorical: true },
      { ...rest, name: 'f', value: { kind: 'FLOAT', value: 1.5 } },
      { ...rest, name: 'd', value: { kind: 'DOUBLE', value: -0.1 } },
      { ...rest, name: 'b', value: { kind: 'BOOLEAN', value: true } },
      { ...rest, name: 's', value: { kind: 'TEXT', value: 'ä' } },
      { ...rest, name: 'y', value: { kind: 'BYTES', value: Uint8Array.of(1, 2) } },
      { ...rest, name: 'n', isNull: true },
    ],
  });
});

test('a time before 1970 is negative', () => {
  assert.deepEqual(decodePayload(encodeSparkplug({ timestamp: '18446744073709551615' })), {
    timestampMs: -1,
    metrics: [],
  });
});

for (const [name, bytes] of [
  ['a number that does not end', [0x08, 0xff, 0xff]],
  ['a number of eleven bytes', [0x08, ...Array.from({ length: 11 }, () => 0xff), 1]],
  ['a length beyond the end', [0x12, 0x7f, 0]],
  ['a length of 64 bits', [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ['a group', [0x13]],
  ['the field 0', [0x00, 0x00]],
  ['a float that is cut', [0x12, 0x03, 0x65, 0, 0]],
  ['a name that is no UTF-8', [0x12, 0x03, 0x0a, 0x01, 0xff]],
] as const) {
  test(`${name} is a fault`, () => {
    const found = decodePayload(Uint8Array.from(bytes));
    assert.ok('fault' in found);
    assert.match(found.fault, /^no Sparkplug payload: /);
  });
}

test('more than 1000 metrics are a fault', () => {
  assert.ok('fault' in decodePayload(Buffer.from('1200'.repeat(1001), 'hex')));
  assert.ok(!('fault' in decodePayload(Buffer.from('1200'.repeat(1000), 'hex'))));
});

propertyTest(
  'no bytes make the reader throw',
  fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    const found = decodePayload(bytes);
    assert.ok('fault' in found || found.metrics.length <= 200);
  }),
);

propertyTest(
  'a payload that is cut or changed at any byte does not make the reader throw',
  fc.property(fc.nat(60), fc.nat(255), (at, byte) => {
    const bytes = encodeSparkplug({
      timestamp: 1_700_000_000_000,
      metrics: [{ name: 'Node Control/Rebirth', timestamp: 1_700_000_000_000, booleanValue: true }],
    });
    decodePayload(bytes.subarray(0, at));
    bytes[at % bytes.length] = byte;
    decodePayload(bytes);
  }),
);
