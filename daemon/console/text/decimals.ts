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

/**
 * Returns the shortest decimal of a 32-bit float that a double holds: a device that means 12.3 delivers 12.300000190734863.
 *
 * @returns the value itself if it is no 32-bit float
 */
export function shortenFloat32(value: number): number {
  if (Math.fround(value) !== value) return value;
  // Nine digits distinguish any two 32-bit floats.
  for (let digits = 6; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return Number(value.toPrecision(9));
}

// Whole numbers of a device have at most 64 bits.
const WHOLE_BELOW = 2 ** 64;

/** Writes a very large or very small number: a whole number with all its digits, any other with six at most and this decimal sign. */
export function writeExtreme(value: number, decimalSign: '.' | ','): string {
  const isWhole = Number.isInteger(value) && Math.abs(value) < WHOLE_BELOW;
  return isWhole
    ? String(BigInt(value))
    : Number(value.toPrecision(6)).toExponential().replace('.', decimalSign);
}
