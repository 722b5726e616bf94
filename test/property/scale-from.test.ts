import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { toDecimalFactor } from '../../daemon/plant/asset/decimal-factor.ts';
import { createScaling } from '../../daemon/plant/asset/scaling.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import { propertyTest } from './property-test.ts';

function channelOf(valueType: ValueType, valueScale = 1): Channel {
  return {
    name: 'c',
    type: 'READ_WRITE',
    valueType,
    scaleOffsetType: 'DEFINED_BY_VALUE_TYPE',
    valueScale,
    valueOffset: 0,
    isEnabled: true,
    scaleFrom: { channel: 'scale', kind: 'EXPONENT' },
    address: {},
  };
}

/** Moves the point of a decimal text, digit by digit, and lets the language read the result. */
function shiftText(digits: string, exponent: number): string {
  const sign = digits.startsWith('-') ? '-' : '';
  let whole = digits.replace('-', '');
  let fraction = '';
  for (let left = exponent; left > 0; left -= 1) {
    whole += fraction.slice(0, 1) || '0';
    fraction = fraction.slice(1);
  }
  for (let left = exponent; left < 0; left += 1) {
    fraction = (whole.slice(-1) || '0') + fraction;
    whole = whole.slice(0, -1);
  }
  return `${sign}${whole || '0'}.${fraction || '0'}`;
}

const raw = fc.oneof(fc.integer({ min: -70_000, max: 70_000 }), fc.integer(), fc.maxSafeInteger());
const exponent = fc.integer({ min: -22, max: 22 });

propertyTest(
  'raw × 10^exponent is the double nearest to the decimal, and a write finds the raw value again',
  fc.property(raw, exponent, (given, power) => {
    const scaling = createScaling(channelOf('DOUBLE'));
    const factor = { digits: 1, exponent: power };
    const value = scaling.toValue(given, factor);
    assert.equal(value, Number(shiftText(String(given), power)) + 0);
    if (Math.abs(given) < 2 ** 48) assert.equal(scaling.toRaw(value, factor), given);
  }),
);

propertyTest(
  'a written decimal of a 16 or 32-bit register becomes the integer of its digits',
  fc.property(fc.integer(), fc.integer({ min: -10, max: 10 }), (given, power) => {
    const value = Number(shiftText(String(given), power));
    const found = createScaling(channelOf('DOUBLE')).toRaw(value, { digits: 1, exponent: power });
    assert.equal(found, given);
  }),
);

propertyTest(
  'LONG is exact whatever its size: the digits before the point',
  fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }), exponent, (given, power) => {
    const [whole = ''] = shiftText(String(given), power).split('.');
    const exact = BigInt(whole);
    const result = createScaling(channelOf('LONG')).toValue(given, { digits: 1, exponent: power });
    const isWithin = exact >= -(2n ** 63n) && exact < 2n ** 63n;
    assert.deepEqual(isWithin ? result : 'refused', isWithin ? exact : 'refused');
    assert.equal(typeof result === 'object', !isWithin);
  }),
);

propertyTest(
  'a factor with decimals counts as the decimal that is written',
  fc.property(
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.integer({ min: 1, max: 99_999 }),
    fc.integer({ min: -8, max: 0 }),
    (given, digits, power) => {
      const factor = Number(shiftText(String(digits), power));
      const value = createScaling(channelOf('DOUBLE')).toValue(given, toDecimalFactor(factor));
      assert.equal(value, Number(shiftText(String(given * digits), power)) + 0);
    },
  ),
);

propertyTest(
  'the scale of the channel and the factor become one decimal',
  fc.property(
    fc.integer({ min: -70_000, max: 70_000 }),
    exponent,
    fc.constantFrom(0.001, 0.1, 5),
    (given, power, scale) => {
      const value = createScaling(channelOf('DOUBLE', scale)).toValue(given, { digits: 1, exponent: power });
      const [digits, own] = scale === 5 ? [5, 0] : [1, scale === 0.1 ? -1 : -3];
      const shift = power + own;
      const text = shift > 22 || shift < -22 ? undefined : shiftText(String(given * digits), shift);
      if (text !== undefined) assert.equal(value, Number(text) + 0);
    },
  ),
);
