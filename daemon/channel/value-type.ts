import { isPlainText } from '../base/text/plain-text.ts';
import {
  formatByShape,
  formatFloat32,
  parseBase64,
  parseBoolean,
  parseDouble,
  parseInteger,
} from './value-syntax.ts';
import type { JsonScalar } from './value-syntax.ts';

/**
 * A value in the memory of the gateway.
 *
 * As the value of a channel it has one shape per type: BOOLEAN boolean; INTEGER number within -2^31..2^31-1; LONG
 * bigint within -2^63..2^63-1; FLOAT number that a 32-bit float holds; DOUBLE number; STRING Unicode text without NUL;
 * BYTE_ARRAY bytes.
 * A value that a driver decodes ("raw") has the shape that is natural for the device: number, or bigint where 53 bits do not do.
 */
export type ChannelValue = boolean | number | bigint | string | Uint8Array;

interface Syntax {
  /** Parses client input; undefined if it does not match the type or is out of range. */
  readonly parse: (input: JsonScalar) => ChannelValue | undefined;
  /** Writes a value of the type as JSON text. */
  readonly format: (value: ChannelValue) => string;
}

/** A numeric type: scale and offset apply. */
export interface NumericType extends Syntax {
  /** Default arithmetic for scale and offset. */
  readonly arithmetic: 'INTEGER' | 'DOUBLE';
  /** Converts a number to the shape of the type, truncating a fraction if the type has none; undefined out of range. */
  readonly fromNumber: (number: number | bigint) => ChannelValue | undefined;
}

/** A type without arithmetic: scale and offset do not apply. */
export interface OpaqueType extends Syntax {
  readonly arithmetic: 'NONE';
  /** Converts a raw value to the shape of the type; undefined if it does not match. */
  readonly fromRaw: (raw: ChannelValue) => ChannelValue | undefined;
}

// Adding a type is adding a row. The names are those of the REST interface.
const ROWS = {
  BOOLEAN: { arithmetic: 'NONE', parse: parseBoolean, format: formatByShape, fromRaw: toBoolean },
  BYTE_ARRAY: {
    arithmetic: 'NONE',
    parse: parseBase64,
    format: formatByShape,
    fromRaw: (raw) => (typeof raw === 'object' ? raw : undefined),
  },
  DOUBLE: { arithmetic: 'DOUBLE', parse: parseDouble, format: formatByShape, fromNumber: Number },
  FLOAT: {
    arithmetic: 'DOUBLE',
    parse: (input) => chain(parseDouble(input), toFloat32),
    format: formatFloat32,
    fromNumber: toFloat32,
  },
  INTEGER: {
    arithmetic: 'INTEGER',
    parse: (input) => chain(parseInteger(input), toInt32),
    format: formatByShape,
    fromNumber: toInt32,
  },
  LONG: {
    arithmetic: 'INTEGER',
    parse: (input) => chain(parseInteger(input), toInt64),
    format: formatByShape,
    fromNumber: toInt64,
  },
  STRING: {
    arithmetic: 'NONE',
    parse: (input) => toText(String(input)),
    format: formatByShape,
    fromRaw: (raw) => (typeof raw === 'string' ? toText(raw) : undefined),
  },
} as const satisfies Readonly<Record<string, NumericType | OpaqueType>>;

/** Name of a channel value type. */
export type ValueType = keyof typeof ROWS;

/** Parsing, formatting and conversion of each type. */
export const VALUE_TYPE_TABLE: Readonly<Record<ValueType, NumericType | OpaqueType>> = ROWS;

/** Names of all types, in alphabetical order. */
export const VALUE_TYPES = Object.keys(ROWS) as readonly ValueType[];

/** True if values of the type are numbers. */
export function isNumeric(valueType: ValueType): boolean {
  return VALUE_TYPE_TABLE[valueType].arithmetic !== 'NONE';
}

/** Names of the types whose values are numbers. */
export const NUMERIC_VALUE_TYPES: readonly ValueType[] = VALUE_TYPES.filter(isNumeric);

function chain<T>(
  value: T | undefined,
  next: (value: T) => ChannelValue | undefined,
): ChannelValue | undefined {
  return value === undefined ? undefined : next(value);
}

function toBoolean(raw: ChannelValue): boolean | undefined {
  if (typeof raw === 'boolean') return raw;
  if (raw === 0 || raw === 0n) return false;
  return raw === 1 || raw === 1n ? true : undefined;
}

function toText(text: string): string | undefined {
  return isPlainText(text) ? text : undefined;
}

function toInt32(number: number | bigint): number | undefined {
  // The sum makes 0 of a negative zero, which no integer is.
  const value = Math.trunc(Number(number)) + 0;
  return value >= -(2 ** 31) && value <= 2 ** 31 - 1 ? value : undefined;
}

function toInt64(number: number | bigint): bigint | undefined {
  if (typeof number === 'number' && !Number.isFinite(number)) return undefined;
  const value = typeof number === 'bigint' ? number : BigInt(Math.trunc(number));
  return value >= -(2n ** 63n) && value <= 2n ** 63n - 1n ? value : undefined;
}

function toFloat32(number: number | bigint): number | undefined {
  const exact = Number(number);
  const value = Math.fround(exact);
  return Number.isFinite(value) || !Number.isFinite(exact) ? value : undefined;
}
