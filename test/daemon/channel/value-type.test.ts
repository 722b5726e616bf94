import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JsonScalar } from '../../../daemon/channel/value-syntax.ts';
import { NUMERIC_VALUE_TYPES, VALUE_TYPE_TABLE, VALUE_TYPES } from '../../../daemon/channel/value-type.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';

/** A few values of each type, the extremes among them. */
const SAMPLES: Readonly<Record<ValueType, readonly ChannelValue[]>> = {
  BOOLEAN: [true, false],
  BYTE_ARRAY: [Buffer.of(), Buffer.of(0, 255, 16)],
  DOUBLE: [0, -1.5, Number.MAX_VALUE, NaN, -Infinity],
  FLOAT: [0, Math.fround(0.1), Infinity],
  INTEGER: [0, -(2 ** 31), 2 ** 31 - 1],
  LONG: [0n, -(2n ** 63n), 2n ** 63n - 1n],
  STRING: ['', '"äöü"', '12'],
};

/** The same number in other types, and numbers next to the ends of the range. */
const NUMBERS: readonly (readonly [ValueType, number | bigint, ChannelValue | undefined])[] = [
  ['INTEGER', 7n, 7],
  ['INTEGER', -7.9, -7],
  ['INTEGER', 2 ** 31, undefined],
  ['INTEGER', -(2n ** 31n) - 1n, undefined],
  ['INTEGER', NaN, undefined],
  ['LONG', 7.9, 7n],
  ['LONG', 2 ** 63, undefined],
  ['LONG', -(2n ** 63n) - 1n, undefined],
  ['LONG', Infinity, undefined],
  ['FLOAT', 0.1, Math.fround(0.1)],
  ['FLOAT', 1e39, undefined],
  ['FLOAT', Infinity, Infinity],
  ['DOUBLE', 2n ** 60n, 2 ** 60],
];

test('the value types are in alphabetical order', () => {
  assert.deepEqual(VALUE_TYPES, [...VALUE_TYPES].sort());
  assert.deepEqual(NUMERIC_VALUE_TYPES, ['DOUBLE', 'FLOAT', 'INTEGER', 'LONG']);
});

for (const valueType of VALUE_TYPES) {
  test(`${valueType} parses the text that it formats, and keeps a value of its own type unchanged`, () => {
    const type = VALUE_TYPE_TABLE[valueType];
    for (const value of SAMPLES[valueType]) {
      const json = JSON.parse(quoteBigInt(type.format(value))) as JsonScalar;
      assert.deepEqual(type.parse(json), value);
      const kept =
        type.arithmetic === 'NONE' ? type.fromRaw(value) : type.fromNumber(value as number | bigint);
      assert.deepEqual(kept, value);
    }
  });
}

test('a numeric type converts a number to its own type, and refuses one out of its range', () => {
  for (const [valueType, number, expected] of NUMBERS) {
    const type = VALUE_TYPE_TABLE[valueType];
    assert.ok(type.arithmetic !== 'NONE');
    assert.equal(type.fromNumber(number), expected, `${valueType} ${number}`);
  }
});

test('BOOLEAN accepts 0 and 1 from a device, and no other number', () => {
  const type = VALUE_TYPE_TABLE.BOOLEAN;
  assert.ok(type.arithmetic === 'NONE');
  assert.deepEqual([0, 0n, 1, 1n, 2, -1n, 0.5, 'true'].map(type.fromRaw), [
    false,
    false,
    true,
    true,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

/** JSON.parse drops digits of a long number; as text they are kept. */
function quoteBigInt(json: string): string {
  return /^-?\d{16,}$/.test(json) ? `"${json}"` : json;
}
