import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { formatValue } from '../../../../bundles/penstock-mqtt/message/value-text.ts';
import { formatValue as formatOfGateway } from '../../../../daemon/channel/value-json.ts';
import { propertyTest } from '../../../property/property-test.ts';

for (const [type, value, text] of [
  ['LONG', 9_007_199_254_740_993n, '9007199254740993'],
  ['LONG', -(2n ** 63n), '-9223372036854775808'],
  ['FLOAT', Math.fround(0.1), '0.1'],
  ['DOUBLE', Number.NaN, '"NaN"'],
  ['DOUBLE', -Infinity, '"-Infinity"'],
  ['DOUBLE', -0, '-0'],
  ['BOOLEAN', true, 'true'],
  ['STRING', 'a"b\u2028', '"a\\"b\u2028"'],
  ['BYTE_ARRAY', new Uint8Array([1, 2, 255]), '"AQL/"'],
] as const) {
  test(`formatValue writes a ${type} as ${text}`, () => {
    assert.equal(formatValue(type, value), text);
  });
}

test('formatValue writes a view of bytes without the rest of its buffer', () => {
  assert.equal(formatValue('BYTE_ARRAY', new Uint8Array([0, 1, 2, 3]).subarray(1, 3)), '"AQI="');
});

propertyTest(
  'formatValue writes numbers as the REST interface does',
  fc.property(fc.double(), fc.float(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (d, f, l) => {
    assert.equal(formatValue('DOUBLE', d), formatOfGateway('DOUBLE', d));
    assert.equal(formatValue('FLOAT', f), formatOfGateway('FLOAT', f));
    assert.equal(formatValue('LONG', l), formatOfGateway('LONG', l));
  }),
  10,
);
