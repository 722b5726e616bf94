import { ASSETS } from './assets.ts';
import { countOwnDecimals, shortenFloat32 } from './decimals.ts';
import { fill } from './fill.ts';
import { formatNumber } from './format.ts';

/**
 * Formats a value for display.
 *
 * @param decimals undefined: texts are shown unchanged, even digits
 */
export function formatValue(
  value: string | number | boolean | undefined,
  decimals: number | undefined,
): string {
  if (value === undefined) return '–';
  if (typeof value === 'boolean') return value ? fill(ASSETS.on) : fill(ASSETS.offValue);
  if (typeof value === 'number') return formatNumber(value, decimals ?? 0);
  return decimals !== undefined && /^-?\d{16,}$/.test(value) ? formatNumber(value, 0) : value;
}

/** Formats a value with every digit that it has: for values written or read once, and for limits. */
export function formatExactly(value: string | number | boolean, decimals: number | undefined): string {
  if (typeof value !== 'number') return formatValue(value, decimals);
  const shortest = shortenFloat32(value);
  return formatValue(shortest, Math.max(decimals ?? 0, countOwnDecimals(shortest)));
}
