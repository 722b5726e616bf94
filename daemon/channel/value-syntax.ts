/** A value as a JSON document carries it; integers beyond 2^53 arrive as bigint. */
export type JsonScalar = boolean | number | bigint | string;

const DECIMAL_INTEGER = /^[+-]?\d{1,40}$/;
const DECIMAL_NUMBER = /^[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const TRUTH: Readonly<Record<string, boolean>> = { true: true, false: false };
const SMALLEST_NORMAL_FLOAT = 2 ** -126;
const NON_FINITE: Readonly<Record<string, number>> = { NaN, Infinity, '-Infinity': -Infinity };

/**
 * Writes a value as JSON text by its shape alone: every digit of a bigint, the shortest decimal that a double reads back,
 * with the sign of a negative zero, bytes as base64 (RFC 4648, 4), and `"NaN"`, `"Infinity"` and `"-Infinity"` for numbers that JSON does not have.
 */
export function formatByShape(value: JsonScalar | Uint8Array): string {
  if (typeof value === 'number') return Number.isFinite(value) ? formatFinite(value) : `"${value}"`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object')
    return `"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"`;
  return String(value);
}

/** Writes the shortest decimal that a 32-bit float reads back; other values as {@link formatByShape} does. */
export function formatFloat32(value: JsonScalar | Uint8Array): string {
  return typeof value === 'number' && Number.isFinite(value) ? shortenFloat32(value) : formatByShape(value);
}

/**
 * Returns how many thousandths the shortest decimal of a 32-bit float has, which is what instruments deliver.
 *
 * @returns undefined where the shortest decimal needs other digits, and for no number
 */
export function countThousandths(value: number): number | undefined {
  const thousandths = Math.round(value * 1000);
  // Two decimals of up to six digits are never the same 32-bit float (C11, FLT_DIG), so one that reads back is the shortest.
  return Math.abs(thousandths) < 1e6 && Math.fround(thousandths / 1000) === value ? thousandths : undefined;
}

function shortenFloat32(value: number): string {
  const thousandths = countThousandths(value);
  if (thousandths !== undefined) return formatFinite(thousandths / 1000);
  // Below the smallest normal number floats lie so far apart that fewer digits can do.
  for (let digits = Math.abs(value) < SMALLEST_NORMAL_FLOAT ? 1 : 6; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return String(candidate);
  }
  // Floats lie twice as far apart above a power of two as below: where the nearest decimal of eight digits misses it,
  // the next one away from zero may not.
  const [units = '', exponent = ''] = value.toExponential(7).replace('.', '').split('e');
  const next = Number(`${Number(units) + Math.sign(value)}e${Number(exponent) - 7}`);
  if (Math.fround(next) === value) return String(next);
  // Nine digits distinguish any two 32-bit floats.
  return String(Number(value.toPrecision(9)));
}

function formatFinite(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Reads a boolean or, in any case of letters, the word for one. */
export function parseBoolean(input: JsonScalar): boolean | undefined {
  if (typeof input === 'boolean') return input;
  const word = typeof input === 'string' ? input.toLowerCase() : '';
  return Object.hasOwn(TRUTH, word) ? TRUTH[word] : undefined;
}

/** Reads an integer, from a number that holds all of its digits or from text that has digits only. */
export function parseInteger(input: JsonScalar): bigint | undefined {
  if (typeof input === 'bigint') return input;
  // Beyond 2^53 a number is what is left of digits that were lost, as of 9007199254740993.0.
  if (typeof input === 'number') return Number.isSafeInteger(input) ? BigInt(input) : undefined;
  if (typeof input === 'string' && DECIMAL_INTEGER.test(input)) return BigInt(input.replace(/^\+/, ''));
  return undefined;
}

/** Reads a number, or the text of one; undefined beyond the range of a double, which 1e999 is. */
export function parseDouble(input: JsonScalar): number | undefined {
  if (typeof input === 'boolean') return undefined;
  if (typeof input === 'string') {
    if (Object.hasOwn(NON_FINITE, input)) return NON_FINITE[input];
    if (!DECIMAL_NUMBER.test(input)) return undefined;
  }
  const value = Number(input);
  return Number.isFinite(value) ? value : undefined;
}

/** Reads bytes from base64 (RFC 4648, 4), whose padding may be missing. */
export function parseBase64(input: JsonScalar): Uint8Array | undefined {
  return typeof input === 'string' && BASE64.test(input) ? Buffer.from(input, 'base64') : undefined;
}
