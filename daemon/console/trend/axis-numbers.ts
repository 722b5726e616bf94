import { countDecimals } from '../text/decimals.ts';

type FormatNumber = (value: number, decimals: number) => string;

// From here on, zeros are many to count.
const LARGE = 1e12;
const SMALL = 1e-6;
// With more digits, a multiple of a power is no shorter than the number itself.
const LARGEST_MULTIPLE = 1e9;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/**
 * Formats the numbers of an axis with as many digits as it takes to distinguish them; very large and very small ones as
 * whole multiples of one power of a thousand, as engineers write them: `58 × 10¹⁵` and `60 × 10¹⁵`.
 *
 * @param ticks equally spaced
 */
export function formatAxisNumbers(ticks: readonly number[], formatNumber: FormatNumber): readonly string[] {
  const [first = 0, second = first + 1] = ticks;
  const step = Math.abs(second - first);
  const size = Math.max(...ticks.map(Math.abs), step);
  if (size > SMALL && size < LARGE) return ticks.map((tick) => formatNumber(tick, countDecimals(step)));
  const power = findPower(step);
  if (!Number.isFinite(power) || size / 10 ** power >= LARGEST_MULTIPLE) {
    return ticks.map((tick) => formatNumber(tick, 0));
  }
  return ticks.map((tick) =>
    tick === 0 ? '0' : `${formatNumber(Math.round(divide(tick, power)), 0)} × 10${toSuperscript(power)}`,
  );
}

/** Returns the largest power of a thousand that divides a step, as an exponent of ten. */
function findPower(step: number): number {
  const power = 3 * Math.floor(Number(step.toExponential().split('e')[1]) / 3);
  return countDecimals(divide(step, power)) === 0 ? power : power - 3;
}

/** Divides by a power of ten. One with a negative exponent is no double, so that its inverse multiplies. */
function divide(value: number, power: number): number {
  return power < 0 ? value * 10 ** -power : value / 10 ** power;
}

function toSuperscript(power: number): string {
  const digits = String(Math.abs(power)).replaceAll(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? '');
  return `${power < 0 ? '⁻' : ''}${digits}`;
}
