// What a double still tells apart.
const MAXIMUM_DECIMALS = 15;

/** Returns how many decimals the multiples of a step need, so that each stands as it is: 57.5 must not stand as 58. */
export function countDecimals(step: number): number {
  const size = Math.abs(step);
  for (let decimals = 0; decimals < MAXIMUM_DECIMALS; decimals += 1) {
    const shown = size * 10 ** decimals;
    if (shown >= 1 - 1e-6 && Math.abs(shown - Math.round(shown)) < 1e-6 * shown) return decimals;
  }
  return MAXIMUM_DECIMALS;
}

/** Returns how many decimals a number has, written as short as it can be. */
export function countOwnDecimals(value: number): number {
  const [, fraction = '', power = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.min(Math.max(fraction.length - Number(power), 0), MAXIMUM_DECIMALS);
}
