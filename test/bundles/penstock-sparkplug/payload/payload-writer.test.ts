import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { DATA_TYPE } from '../../../../bundles/penstock-sparkplug/payload/data-type.ts';
import type { Metric } from '../../../../bundles/penstock-sparkplug/payload/data-type.ts';
import { encodePayload } from '../../../../bundles/penstock-sparkplug/payload/payload-writer.ts';
import { propertyTest } from '../../../property/property-test.ts';
import { decodeSparkplug, encodeSparkplug } from '../../../support/sparkplug-payload.ts';

const base = { timestampMs: 1_700_000_000_000 } as const;

function encodeOne(metric: Partial<Metric> & Pick<Metric, 'type' | 'value'>) {
  const payload = encodePayload({ ...base, metrics: [{ ...base, alias: 7, ...metric }], seq: 3 });
  const decoded = decodeSparkplug(payload);
  // Byte for byte as the library encodes it.
  assert.deepEqual(Buffer.from(payload), encodeSparkplug(decoded));
  return decoded.metrics[0];
}

for (const [name, type, value, field, expected] of [
  ['BOOLEAN true', DATA_TYPE.Boolean, true, 'booleanValue', true],
  ['BOOLEAN false', DATA_TYPE.Boolean, false, 'booleanValue', false],
  ['INTEGER', DATA_TYPE.Int32, 4711, 'intValue', 4711],
  ['negative INTEGER', DATA_TYPE.Int32, -1, 'intValue', 4_294_967_295],
  ['smallest INTEGER', DATA_TYPE.Int32, -(2 ** 31), 'intValue', 2 ** 31],
  ['LONG', DATA_TYPE.Int64, 2n ** 63n - 1n, 'longValue', '9223372036854775807'],
  ['negative LONG', DATA_TYPE.Int64, -1n, 'longValue', '18446744073709551615'],
  ['FLOAT', DATA_TYPE.Float, 1.5, 'floatValue', 1.5],
  ['DOUBLE', DATA_TYPE.Double, 0.1, 'doubleValue', 0.1],
  ['DOUBLE NaN', DATA_TYPE.Double, Number.NaN, 'doubleValue', Number.NaN],
  ['DOUBLE infinity', DATA_TYPE.Double, -Infinity, 'doubleValue', -Infinity],
  ['STRING', DATA_TYPE.String, 'größer 😀', 'stringValue', 'größer 😀'],
  ['empty STRING', DATA_TYPE.String, '', 'stringValue', ''],
] as const) {
  test(`${name} is in the field ${field}`, () => {
    const metric = encodeOne({ type, value });
    assert.equal(metric?.value, field);
    assert.deepEqual(metric[field], expected);
  });
}

test('BYTE_ARRAY is in the field bytes', () => {
  const bytes = Uint8Array.of(0, 255, 1);
  const metric = encodeOne({ type: DATA_TYPE.Bytes, value: bytes });
  assert.deepEqual(metric?.bytesValue, Buffer.from(bytes));
});

test('no value is null, and a metric with a name has its data type', () => {
  const metric = encodeOne({ name: 'flow', type: DATA_TYPE.Double, value: undefined });
  assert.equal(metric?.isNull, true);
  assert.equal(metric.value, undefined);
  assert.deepEqual([metric.name, metric.alias, metric.datatype], ['flow', '7', DATA_TYPE.Double]);
  assert.equal(encodeOne({ type: DATA_TYPE.Double, value: 1 })?.datatype, undefined);
});

test('a data set has its columns, their types, and a row whose elements that are null have no value', () => {
  const columns = [
    { name: 'level', type: DATA_TYPE.Double },
    { name: 'count', type: DATA_TYPE.Int32 },
    { name: 'total', type: DATA_TYPE.Int64 },
    { name: 'mode', type: DATA_TYPE.String },
    { name: 'isOn', type: DATA_TYPE.Boolean },
    { name: 'ratio', type: DATA_TYPE.Float },
  ];
  const elements = [0.1, -1, 2n ** 40n, 'Kühlen', undefined, 0.5];
  const metric = encodeOne({ name: 'Data Set', type: DATA_TYPE.DataSet, value: { columns, elements } });
  assert.equal(metric?.datatype, 16);
  assert.deepEqual(metric['datasetValue'], {
    numOfColumns: '6',
    columns: columns.map(({ name }) => name),
    types: columns.map(({ type }) => type),
    rows: [
      {
        elements: [
          { doubleValue: 0.1, value: 'doubleValue' },
          { intValue: 4_294_967_295, value: 'intValue' },
          { longValue: '1099511627776', value: 'longValue' },
          { stringValue: 'Kühlen', value: 'stringValue' },
          {},
          { floatValue: 0.5, value: 'floatValue' },
        ],
      },
    ],
  });
});

test('an NDEATH has no sequence number', () => {
  assert.equal(decodeSparkplug(encodePayload({ ...base, metrics: [] })).seq, undefined);
  assert.equal(decodeSparkplug(encodePayload({ ...base, metrics: [], seq: 0 })).seq, '0');
});

test('a metric of more than 127 and of more than 16383 bytes has the right length', () => {
  for (const length of [100, 127, 128, 129, 300, 16_383, 16_384, 200_000]) {
    const value = 'x'.repeat(length);
    assert.equal(encodeOne({ type: DATA_TYPE.String, value })?.stringValue, value);
  }
});

const values = fc.oneof(
  fc.record({ type: fc.constant(DATA_TYPE.Boolean), value: fc.option(fc.boolean(), { nil: undefined }) }),
  fc.record({ type: fc.constant(DATA_TYPE.Int32), value: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) }),
  fc.record({
    type: fc.constant(DATA_TYPE.Int64),
    value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  }),
  fc.record({ type: fc.constant(DATA_TYPE.Float), value: fc.float() }),
  fc.record({ type: fc.constant(DATA_TYPE.Double), value: fc.double() }),
  fc.record({ type: fc.constant(DATA_TYPE.String), value: fc.string({ unit: 'grapheme', maxLength: 200 }) }),
  fc.record({ type: fc.constant(DATA_TYPE.Bytes), value: fc.uint8Array({ maxLength: 300 }) }),
);
const metrics = fc
  .record({
    entry: values,
    name: fc.option(fc.string(), { nil: undefined }),
    alias: fc.option(fc.nat(2 ** 31), { nil: undefined }),
    timestampMs: fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
    isHistorical: fc.boolean(),
    quality: fc.option(fc.constantFrom(0, 192, 500), { nil: undefined }),
  })
  .map(({ entry: { type, value }, quality, name, alias, timestampMs, isHistorical }): Metric => {
    const properties =
      quality === undefined ? [] : [{ key: 'Quality', type: DATA_TYPE.Int32, value: quality } as const];
    return { name, alias, timestampMs, type, value, isHistorical, properties };
  });

propertyTest(
  'any payload is encoded byte for byte as the library with the published schema does',
  fc.property(fc.array(metrics, { maxLength: 20 }), fc.nat(255), (list, seq) => {
    const payload = encodePayload({ ...base, metrics: list, seq });
    const decoded = decodeSparkplug(payload);
    assert.equal(decoded.metrics.length, list.length);
    assert.deepEqual(Buffer.from(payload), encodeSparkplug(decoded));
    for (const [index, metric] of list.entries()) {
      const found = decoded.metrics[index];
      assert.equal(found?.name, metric.name);
      assert.equal(BigInt.asIntN(64, BigInt(found?.timestamp ?? 0)), BigInt(metric.timestampMs));
      assert.equal(found?.isHistorical ?? false, metric.isHistorical);
      assert.equal(found?.isNull ?? false, metric.value === undefined);
    }
  }),
);
