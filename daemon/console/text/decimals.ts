// Significant digits of a double.
const MAXIMUM_DECIMALS = 15;

/** Returns the decimals needed to show all multiples of a step exactly: 57.5 must not appear as 58. */
export function countDecimals(step: number): number {
  const size = Math.abs(step);
  for (let decimals = 0; decimals < MAXIMUM_DECIMALS; decimals += 1) {
    const shown = size * 10 ** decimals;
    if (shown >= 1 - 1e-6 && Math.abs(shown - Math.round(shown)) < 1e-6 * shown) return decimals;
  }
  return MAXIMUM_DECIMALS;
}

/** Returns the decimals of a number in its shortest notation. */
export function countOwnDecimals(value: number): number {
  const [, fraction = '', power = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.min(Math.max(fraction.length - Number(power), 0), MAXIMUM_DECIMALS);
}
