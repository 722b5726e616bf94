import { INTEGER_RANGE, LONG_RANGE } from './value-type.ts';
import type { ChannelValue, ValueType } from './value-type.ts';

/** A value as a JSON document carries it; integers beyond 2^53 arrive as bigint. */
export type JsonScalar = boolean | number | bigint | string;

const DECIMAL_INTEGER = /^[+-]?\d{1,40}$/;
const DECIMAL_NUMBER = /^[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const TRUTH: Readonly<Record<string, boolean>> = { true: true, false: false };
const SMALLEST_NORMAL_FLOAT = 2 ** -126;
const NON_FINITE: Readonly<Record<string, number>> = { NaN, Infinity, '-Infinity': -Infinity };

/**
 * Writes a value as JSON text.
 *
 * LONG has every digit, FLOAT the shortest decimal that a 32-bit float reads back, BYTE_ARRAY is base64 (RFC 4648, 4);
 * numbers that JSON does not have are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
 *
 * @param value in the shape of `valueType`
 */
export function formatValue(valueType: ValueType, value: ChannelValue): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `"${value}"`;
    return valueType === 'FLOAT' ? formatFloat(value) : String(value);
  }
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object')
    return `"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"`;
  return String(value);
}

function formatFloat(value: number): string {
  // Two decimals of up to six digits are never the same 32-bit float (C11, FLT_DIG), so one that reads back is
  // the shortest. This settles what instruments deliver without the conversions below.
  const thousandths = Math.round(value * 1000);
  if (Math.abs(thousandths) < 1e6 && Math.fround(thousandths / 1000) === value)
    return String(thousandths / 1000);
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
  // Nine digits tell any two 32-bit floats apart.
  return String(Number(value.toPrecision(9)));
}

/**
 * Reads a value that a client sent for a channel: a number, a boolean, or the text of one. A BOOLEAN may be in any case, the
 * base64 of a BYTE_ARRAY may lack its padding, and an integer as text has digits only.
 *
 * @returns the value in the shape of `valueType`; undefined when the input does not say one, or is out of range
 */
export function parseValue(valueType: ValueType, input: JsonScalar): ChannelValue | undefined {
  switch (valueType) {
    case 'BOOLEAN':
      return parseBoolean(input);
    case 'INTEGER':
      return parseInteger(input);
    case 'LONG':
      return parseLong(input);
    case 'FLOAT':
      return parseFloat32(input);
    case 'DOUBLE':
      return parseDouble(input);
    case 'STRING':
      return String(input);
    case 'BYTE_ARRAY':
      return typeof input === 'string' && BASE64.test(input) ? Buffer.from(input, 'base64') : undefined;
  }
}

function parseBoolean(input: JsonScalar): boolean | undefined {
  if (typeof input === 'boolean') return input;
  const word = typeof input === 'string' ? input.toLowerCase() : '';
  return Object.hasOwn(TRUTH, word) ? TRUTH[word] : undefined;
}

function parseBigInt(input: JsonScalar): bigint | undefined {
  if (typeof input === 'bigint') return input;
  // Beyond 2^53 a number is what is left of digits that were lost, as of 9007199254740993.0.
  if (typeof input === 'number') return Number.isSafeInteger(input) ? BigInt(input) : undefined;
  if (typeof input === 'string' && DECIMAL_INTEGER.test(input)) return BigInt(input.replace(/^\+/, ''));
  return undefined;
}

function parseInteger(input: JsonScalar): number | undefined {
  const value = parseBigInt(input);
  if (value === undefined || value < INTEGER_RANGE.minimum || value > INTEGER_RANGE.maximum) return undefined;
  return Number(value);
}

function parseLong(input: JsonScalar): bigint | undefined {
  const value = parseBigInt(input);
  return value === undefined || value < LONG_RANGE.minimum || value > LONG_RANGE.maximum ? undefined : value;
}

function parseDouble(input: JsonScalar): number | undefined {
  if (typeof input === 'boolean') return undefined;
  if (typeof input === 'string') {
    if (Object.hasOwn(NON_FINITE, input)) return NON_FINITE[input];
    if (!DECIMAL_NUMBER.test(input)) return undefined;
  }
  const value = Number(input);
  // Too large for a double, as 1e999 is: no number was meant that could be sent.
  return Number.isFinite(value) ? value : undefined;
}

function parseFloat32(input: JsonScalar): number | undefined {
  const value = parseDouble(input);
  if (value === undefined) return undefined;
  const rounded = Math.fround(value);
  return Number.isFinite(rounded) || !Number.isFinite(value) ? rounded : undefined;
}
