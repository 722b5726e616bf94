import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatAxisNumbers } from '../../daemon/console/trend/axis-numbers.ts';

const AXES: readonly (readonly [ticks: readonly number[], expected: readonly string[]])[] = [
  [
    [57.5, 60, 62.5],
    ['57.5', '60.0', '62.5'],
  ],
  [
    [-1000, 0, 1000],
    ['-1,000', '0', '1,000'],
  ],
  [
    [5.8e16, 5.9e16, 6e16],
    ['58 × 10¹⁵', '59 × 10¹⁵', '60 × 10¹⁵'],
  ],
  [
    [5.75e16, 6e16, 6.25e16],
    ['57,500 × 10¹²', '60,000 × 10¹²', '62,500 × 10¹²'],
  ],
  [
    [0, 5e14, 1e15, 1.5e15],
    ['0', '500 × 10¹²', '1,000 × 10¹²', '1,500 × 10¹²'],
  ],
  [
    [-2e18, 0],
    ['-2 × 10¹⁸', '0'],
  ],
  [
    [412_650_000_000, 412_651_000_000],
    ['412,650,000,000', '412,651,000,000'],
  ],
  [
    [59_000_000_000_000_000, 59_000_000_000_001_000],
    ['59,000,000,000,000,000', '59,000,000,000,001,000'],
  ],
  [
    [0, 2.5e-16, 5e-16],
    ['0', '250 × 10⁻¹⁸', '500 × 10⁻¹⁸'],
  ],
  [
    [0, 2e-7, 4e-7],
    ['0', '200 × 10⁻⁹', '400 × 10⁻⁹'],
  ],
  [[59_000_000_000_000_000], ['59,000,000,000,000,000']],
];

function format(value: number, decimals: number): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return value.toLocaleString('en', digits);
}

test('the numbers of an axis differ, and have no digit more than that takes', () => {
  for (const [ticks, expected] of AXES) {
    const written = formatAxisNumbers(ticks, format);
    assert.deepEqual(written, expected);
  }
});
