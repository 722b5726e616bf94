import { countDecimals } from '../text/decimals.ts';

type FormatNumber = (value: number, decimals: number) => string;

// From here on, digits say less than the power does.
const LARGE = 1e15;
const SMALL = 1e-12;
// More digits are not shorter than the whole number.
const MAXIMUM_DECIMALS = 8;

/**
 * Formats the numbers of an axis with as many digits as it takes to distinguish them; very large and very small ones as
 * multiples of one power of ten, for example `5.8e+16` and `6.0e+16`, as values are written elsewhere.
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
  ).map((number, index) => (ticks[index] === 0 ? '0' : `${number}e${power < 0 ? '' : '+'}${power}`));
}

/** Returns the exponent of a number in scientific notation. */
function powerOf(size: number): number {
  return Number(size.toExponential().split('e')[1]);
}
