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
    ['5.8e+16', '5.9e+16', '6.0e+16'],
  ],
  [
    [0, 5e14, 1e15, 1.5e15],
    ['0', '0.5e+15', '1.0e+15', '1.5e+15'],
  ],
  [
    [-2e18, 0],
    ['-2e+18', '0'],
  ],
  [
    [59_000_000_000_000_000, 59_000_000_000_001_000],
    ['59,000,000,000,000,000', '59,000,000,000,001,000'],
  ],
  [
    [0, 2.5e-16, 5e-16],
    ['0', '2.5e-16', '5.0e-16'],
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
