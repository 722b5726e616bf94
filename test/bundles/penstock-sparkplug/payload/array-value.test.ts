import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { toMetricValue, unpackArray } from '../../../../bundles/penstock-sparkplug/payload/array-value.ts';
import { DATA_TYPE } from '../../../../bundles/penstock-sparkplug/payload/data-type.ts';
import type { DataType } from '../../../../bundles/penstock-sparkplug/payload/data-type.ts';
import { propertyTest } from '../../../property/property-test.ts';

const pack = (type: DataType, text: string): string | undefined => {
  const bytes = toMetricValue(type, text);
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : undefined;
};

// The examples of the standard; those of floating-point numbers are big-endian there, against its own text.
for (const [type, text, hex] of [
  [DATA_TYPE.Int8Array, '[-23,123]', 'e97b'],
  [DATA_TYPE.Int16Array, '[-30000,30000]', 'd08a3075'],
  [DATA_TYPE.Int32Array, '[-1,315338746]', 'fffffffffaafcb12'],
  [DATA_TYPE.Int64Array, '[-4270929666821191986,-3601064768563266876]', 'ce0672ac189cbac4c4ba9c18ac7206ce'],
  [DATA_TYPE.UInt8Array, '[23,250]', '17fa'],
  [DATA_TYPE.UInt16Array, '[30,52360]', '1e0088cc'],
  [DATA_TYPE.UInt32Array, '[52,3293969225]', '3400000049fb55c4'],
  [DATA_TYPE.UInt64Array, '[52,16444743074749521625]', '3400000000000000d99e02d1b27637e4'],
  [DATA_TYPE.FloatArray, '[1.23,89.341]', 'a4709d3f98aeb242'],
  [DATA_TYPE.DoubleArray, '[12.354213,1022.9123213]', 'd7a205685bb528408e171c6f4cf78f40'],
  [
    DATA_TYPE.BooleanArray,
    '[false,false,true,true,false,true,false,false,true,true,false,true]',
    '0c00000034d0',
  ],
  [DATA_TYPE.StringArray, '["ABC","hello"]', '4142430068656c6c6f00'],
] as const) {
  test(`${text} as type ${type} is ${hex}`, () => {
    assert.equal(pack(type, text), hex);
    const back = unpackArray(type, Buffer.from(hex, 'hex'));
    if (type !== DATA_TYPE.FloatArray) assert.equal(back, text);
  });
}

test('an empty array, numbers that JSON lacks, and white space', () => {
  assert.equal(pack(DATA_TYPE.Int32Array, '[]'), '');
  assert.equal(pack(DATA_TYPE.StringArray, '[]'), '');
  assert.equal(pack(DATA_TYPE.BooleanArray, '[]'), '00000000');
  assert.equal(pack(DATA_TYPE.Int16Array, ' [ 1 , 2 ] '), '01000200');
  assert.equal(pack(DATA_TYPE.DoubleArray, '["-Infinity"]'), '000000000000f0ff');
  assert.equal(unpackArray(DATA_TYPE.DoubleArray, Buffer.from('000000000000f0ff', 'hex')), '["-Infinity"]');
});

for (const [type, text] of [
  [DATA_TYPE.Int8Array, '[128]'],
  [DATA_TYPE.UInt8Array, '[-1]'],
  [DATA_TYPE.Int32Array, '[1.5]'],
  [DATA_TYPE.Int32Array, '[[1],[2]]'],
  [DATA_TYPE.Int32Array, '5'],
  [DATA_TYPE.Int32Array, '["1"]'],
  [DATA_TYPE.Int32Array, '[1,]'],
  [DATA_TYPE.DoubleArray, '[null]'],
  [DATA_TYPE.BooleanArray, '[1]'],
  [DATA_TYPE.StringArray, '["a\\u0000"]'],
  [DATA_TYPE.StringArray, '[1]'],
] as const) {
  test(`${text} is no array of type ${type}`, () => {
    assert.equal(pack(type, text), undefined);
  });
}

for (const [type, hex] of [
  [DATA_TYPE.Int16Array, '01'],
  [DATA_TYPE.BooleanArray, '0100'],
  [DATA_TYPE.BooleanArray, 'ffffffff00'],
  [DATA_TYPE.StringArray, '41'],
  [DATA_TYPE.StringArray, 'ff00'],
] as const) {
  test(`the bytes ${hex} are no array of type ${type}`, () => {
    assert.equal(unpackArray(type, Buffer.from(hex, 'hex')), undefined);
  });
}

test('the value of a type without elements stays as it is', () => {
  assert.equal(toMetricValue(DATA_TYPE.String, '[1]'), '[1]');
  assert.equal(toMetricValue(DATA_TYPE.Int32Array, undefined), undefined);
});

propertyTest(
  'an array that is packed is unpacked to the same text',
  fc.property(
    fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    fc.array(fc.boolean()),
    (longs, flags) => {
      for (const [type, text] of [
        [DATA_TYPE.Int64Array, `[${longs.join(',')}]`],
        [DATA_TYPE.BooleanArray, JSON.stringify(flags)],
      ] as const) {
        const bytes = toMetricValue(type, text);
        assert.ok(bytes instanceof Uint8Array);
        assert.equal(unpackArray(type, bytes), text);
      }
    },
  ),
);
