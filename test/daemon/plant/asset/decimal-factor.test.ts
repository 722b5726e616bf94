import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  divide,
  divideInteger,
  multiply,
  multiplyFactors,
  multiplyInteger,
  toDecimalFactor,
} from '../../../../daemon/plant/asset/decimal-factor.ts';

const exponent = (value: number) => ({ digits: 1, exponent: value });

test('toDecimalFactor splits a factor into integer digits and an exponent of ten', () => {
  assert.deepEqual(toDecimalFactor(1), { digits: 1, exponent: 0 });
  assert.deepEqual(toDecimalFactor(0.1), { digits: 1, exponent: -1 });
  assert.deepEqual(toDecimalFactor(-0.025), { digits: -25, exponent: -3 });
  assert.deepEqual(toDecimalFactor(1500), { digits: 15, exponent: 2 });
  // 17 digits are no exact integer.
  assert.deepEqual(toDecimalFactor(0.30000000000000004), { digits: 0.30000000000000004, exponent: 0 });
});

test('multiply rounds once: the result is the double nearest to the decimal', () => {
  const rows = [
    [2315, -1, 231.5],
    [3, -1, 0.3],
    [1_234_567, -3, 1234.567],
    [-32_767, -2, -327.67],
    [5, 3, 5000],
    [7, 0, 7],
    [1, -22, 1e-22],
  ] as const;
  for (const [number, power, expected] of rows) assert.equal(multiply(number, exponent(power)), expected);
  assert.equal(multiply(3, toDecimalFactor(0.1)), 0.3);
  assert.equal(multiply(7, multiplyFactors(exponent(-2), toDecimalFactor(0.001))), 0.000_07);
});

test('divide returns the integer that was meant', () => {
  for (const [value, power, raw] of [
    [231.5, -1, 2315],
    [1.15, -2, 115],
    [4.35, -2, 435],
    [5000, 3, 5],
  ] as const) {
    assert.equal(divide(value, exponent(power)), raw);
  }
  assert.equal(divide(231.56, exponent(-1)), 2315.6);
});

test('integers of 64 bits keep every digit', () => {
  assert.equal(multiplyInteger(9_007_199_254_740_993n, exponent(1)), 90_071_992_547_409_930n);
  assert.equal(multiplyInteger(-19n, exponent(-1)), -1n);
  assert.equal(divideInteger(90_071_992_547_409_930n, exponent(1)), 9_007_199_254_740_993n);
  assert.equal(divideInteger(15n, exponent(1)), undefined);
  assert.equal(divideInteger(15n, exponent(-1)), 150n);
});
