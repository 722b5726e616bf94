import type { DecimalFactor } from '../../channel/scale/scale-from.ts';

/** The factor that changes nothing. */
export const FACTOR_ONE: DecimalFactor = { digits: 1, exponent: 0 };

// Every power of ten up to 10^22 is an exact double.
const LARGEST_EXACT_POWER = 22;
const POWERS = Array.from({ length: LARGEST_EXACT_POWER + 1 }, (_, exponent) => Number(`1e${exponent}`));
const DECIMAL = /^(-?\d)(?:\.(\d+))?e([+-]\d+)$/;
// A written decimal times a power of ten is at most this far from the integer that was meant.
const TOLERANCE = 2 ** -50;

/** Returns a factor as decimal: 0.1 becomes 1 × 10^-1. One with too many digits stays a double × 10^0. */
export function toDecimalFactor(factor: number): DecimalFactor {
  if (factor === 1) return FACTOR_ONE;
  const [, first = '', rest = '', exponent = '0'] = DECIMAL.exec(factor.toExponential()) ?? [];
  const digits = Number(first + rest);
  return first !== '' && Number.isSafeInteger(digits)
    ? { digits, exponent: Number(exponent) - rest.length }
    : { digits: factor, exponent: 0 };
}

/** Returns the product of two factors. */
export function multiplyFactors(one: DecimalFactor, other: DecimalFactor): DecimalFactor {
  return { digits: one.digits * other.digits, exponent: one.exponent + other.exponent };
}

/** Returns number × factor, rounded once: 2315 × 10^-1 is 231.5, not 231.50000000000003. */
export function multiply(number: number, { digits, exponent }: DecimalFactor): number {
  const product = digits === 1 ? number : number * digits;
  if (exponent === 0) return product;
  return exponent < 0 ? product / powerOf(-exponent) : product * powerOf(exponent);
}

/** Returns integer × factor, exact and truncated; the digits of the factor are an integer. */
export function multiplyInteger(integer: bigint, { digits, exponent }: DecimalFactor): bigint {
  const product = integer * BigInt(digits);
  return exponent < 0 ? product / 10n ** BigInt(-exponent) : product * 10n ** BigInt(exponent);
}

/** Returns number ÷ factor; the integer that was meant if the result is that near to one. */
export function divide(number: number, { digits, exponent }: DecimalFactor): number {
  const quotient = (exponent < 0 ? number * powerOf(-exponent) : number / powerOf(exponent)) / digits;
  const nearest = Math.round(quotient);
  return Math.abs(quotient - nearest) <= Math.abs(quotient) * TOLERANCE ? nearest : quotient;
}

/** Returns integer ÷ factor; undefined if the result is no integer. */
export function divideInteger(integer: bigint, { digits, exponent }: DecimalFactor): bigint | undefined {
  const [dividend, divisor] =
    exponent < 0
      ? [integer * 10n ** BigInt(-exponent), BigInt(digits)]
      : [integer, BigInt(digits) * 10n ** BigInt(exponent)];
  return dividend % divisor === 0n ? dividend / divisor : undefined;
}

function powerOf(exponent: number): number {
  return POWERS[exponent] ?? 10 ** exponent;
}
