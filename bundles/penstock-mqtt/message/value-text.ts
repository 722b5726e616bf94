import type { JournalBatch } from '../../../daemon/software/bundle/runner/context.ts';

/** Value of a sample: LONG is a bigint, BYTE_ARRAY a Uint8Array. */
export type SampleValue = NonNullable<JournalBatch['values'][number]>;

/**
 * Writes a value as JSON text, as the REST interface does: LONG with all digits, FLOAT as the shortest decimal that a 32-bit float
 * reads back, BYTE_ARRAY in base64, and numbers that JSON lacks as `"NaN"`, `"Infinity"` and `"-Infinity"`.
 */
export function formatValue(valueType: string, value: SampleValue): string {
  if (typeof value === 'number') return formatNumber(valueType, value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) {
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  }
  return String(value);
}

function formatNumber(valueType: string, value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  if (Object.is(value, -0)) return '-0';
  return String(valueType === 'FLOAT' ? shorten(value) : value);
}

/** Returns the double with the shortest decimal that reads back as the same 32-bit float. */
function shorten(value: number): number {
  for (let digits = 1; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  // Floats are twice as far apart above a power of two as below: the decimal of eight digits next to the nearest one may do.
  const [units = '', exponent = ''] = value.toExponential(7).replace('.', '').split('e');
  const next = Number(`${Number(units) + Math.sign(value)}e${Number(exponent) - 7}`);
  // Nine digits distinguish any two 32-bit floats.
  return Math.fround(next) === value ? next : Number(value.toPrecision(9));
}
