/**
 * Range of the raw numbers at an address: SIGNED is two's complement; FLOAT has 32 or 64 bits (IEEE 754); WHOLE has no
 * bit pattern, for example BCD.
 */
export type RawNumber =
  | { readonly kind: 'SIGNED' | 'UNSIGNED'; readonly bits: number }
  | { readonly kind: 'FLOAT'; readonly bits: 32 | 64 }
  | { readonly kind: 'WHOLE' };

/** Raw number at an address; NONE: the raw value is never a number; undefined: unknown before the first read. */
export type RawNumberAt = RawNumber | 'NONE' | undefined;

const BINARY = /^(U?)INT(\d+)$/;
const FLOAT = /^FLOAT(32|64)$/;

/**
 * Returns the raw number of a binary data type.
 *
 * @param dataType name such as `INT16`, `UINT32` or `FLOAT64`
 * @param isNumber true if values of a type without binary digits are numbers all the same
 */
export function toRawNumber(dataType: string, isNumber: boolean): RawNumber | 'NONE' {
  const [, unsigned, bits] = BINARY.exec(dataType) ?? [];
  if (bits !== undefined) return { kind: unsigned === '' ? 'SIGNED' : 'UNSIGNED', bits: Number(bits) };
  const [, width] = FLOAT.exec(dataType) ?? [];
  if (width !== undefined) return { kind: 'FLOAT', bits: width === '32' ? 32 : 64 };
  return isNumber ? { kind: 'WHOLE' } : 'NONE';
}

/** Returns the minimum and maximum of an integer; undefined if it has no bit pattern. */
export function rangeOf(number: RawNumber): readonly [bigint, bigint] | undefined {
  if (number.kind === 'SIGNED') {
    const half = 2n ** BigInt(number.bits - 1);
    return [-half, half - 1n];
  }
  return number.kind === 'UNSIGNED' ? [0n, 2n ** BigInt(number.bits) - 1n] : undefined;
}
