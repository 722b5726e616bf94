import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatValue } from '../../../../daemon/channel/value-json.ts';
import { VALUE_TYPES } from '../../../../daemon/channel/value-type.ts';
import type { ChannelValue, ValueType } from '../../../../daemon/channel/value-type.ts';
import { JsonWriter } from '../../../../daemon/server/rest/json-writer.ts';
import { writeValue } from '../../../../daemon/server/rest/value-writer.ts';

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  -0.25,
  61.3,
  1e-7,
  123_456_789.123,
  2 ** 53,
  1e300,
  NaN,
  Infinity,
  -Infinity,
];
const VALUES: Readonly<Record<ValueType, readonly ChannelValue[]>> = {
  BOOLEAN: [true, false],
  BYTE_ARRAY: [Uint8Array.of(1, 2, 255)],
  DOUBLE: NUMBERS,
  FLOAT: NUMBERS.map(Math.fround),
  INTEGER: [0, 7, -7, 2_147_483_647],
  LONG: [0n, 2n ** 62n, -5n],
  STRING: ['', 'text "quoted"', 'Zulauf \u00e4'],
};

for (const valueType of VALUE_TYPES) {
  test(`writeValue writes a ${valueType} as formatValue does`, () => {
    for (const value of VALUES[valueType]) {
      const writer = new JsonWriter(64);
      writeValue(writer, valueType, value);
      assert.equal(writer.finish().toString(), formatValue(valueType, value));
    }
  });
}
