import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  countDecimals,
  countOwnDecimals,
  shortenFloat32,
  writeExtreme,
} from '../../daemon/console/text/decimals.ts';

const STEPS = [1e-9, 0.0025, 0.025, 0.1, 0.125, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10, 25, 1000, 2.5e6];

test('multiples of a step are written exactly, with no more decimals than that takes', () => {
  for (const step of STEPS) {
    const decimals = countDecimals(step);
    const multiples = Array.from({ length: 20 }, (_, index) => (index + 1) * step);
    const isExact = (digits: number): boolean =>
      multiples.every((value) => Math.abs(Number(value.toFixed(digits)) - value) <= 1e-9 * value);
    assert.ok(isExact(decimals), `${step}: ${decimals}`);
    assert.ok(decimals === 0 || !isExact(decimals - 1), `${step}: ${decimals}`);
  }
});

test('a number has as many decimals as it takes to write it', () => {
  const numbers = [7, 62.5, 62.55, -0.125, 1e21, 1.5e-7, 0.1 + 0.2];
  assert.deepEqual(numbers.map(countOwnDecimals), [0, 1, 2, 3, 0, 8, 15]);
});

test('a double that holds a 32-bit float has the decimals that the device means, any other all of its own', () => {
  const meant = [12.3, -0.1, 1e-5, 60, 16777216, 3.4028235e38, 0.30000004];
  assert.deepEqual(meant.map(Math.fround).map(shortenFloat32), meant);
  const doubles = [12.3, 0.1 + 0.2, Math.PI, Number.MAX_SAFE_INTEGER];
  assert.deepEqual(doubles.map(shortenFloat32), doubles);
});

test('a whole number of 64 bits has all digits; a larger one is short, without zeros that nothing has measured', () => {
  const numbers = [59_000_000_000_000_000, -(2 ** 63), 1.5e20, 3.4028234663852886e38, -2.5e-17];
  const written = ['59000000000000000', '-9223372036854775808', '1.5e+20', '3.40282e+38', '-2.5e-17'];
  assert.deepEqual(
    numbers.map((number) => writeExtreme(number, '.')),
    written,
  );
  assert.equal(writeExtreme(-2.5e-17, ','), '-2,5e-17');
});
