import { countDecimals } from '../text/decimals.ts';

type FormatNumber = (value: number, decimals: number) => string;

// From here on, digits say less than the power does.
const LARGE = 1e15;
const SMALL = 1e-12;
// More digits are not shorter than the whole number.
const MAXIMUM_DECIMALS = 8;
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/**
 * Formats the numbers of an axis with as many digits as it takes to distinguish them; very large and very small ones as
 * multiples of one power of ten, for example `5.8 × 10¹⁶` and `6.0 × 10¹⁶`.
 *
 * @param ticks equally spaced
 */
export function formatAxisNumbers(ticks: readonly number[], formatNumber: FormatNumber): readonly string[] {
  const format = (values: readonly number[], decimals: number): readonly string[] =>
    values.map((value) => formatNumber(value, decimals));
  const [first = 0, second = first + 1] = ticks;
  const step = Math.abs(second - first);
  const size = Math.max(...ticks.map(Math.abs), step);
  if (size > SMALL && size < LARGE) return format(ticks, countDecimals(step));
  const power = powerOf(size);
  const decimals = power - powerOf(step) + countDecimals(step / 10 ** powerOf(step));
  if (decimals > MAXIMUM_DECIMALS || !Number.isFinite(decimals)) return format(ticks, 0);
  return format(
    ticks.map((value) => value / 10 ** power),
    decimals,
  ).map((number, index) => (ticks[index] === 0 ? '0' : `${number} × 10${raise(power)}`));
}

/** Returns the exponent of a number in scientific notation. */
function powerOf(size: number): number {
  return Number(size.toExponential().split('e')[1]);
}

function raise(power: number): string {
  return String(power)
    .replace('-', '⁻')
    .replaceAll(/\d/g, (digit) => RAISED[Number(digit)] ?? '');
}
