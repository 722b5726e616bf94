import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { parseElements } from './array-value.ts';
import type { ArrayValue } from './array-value.ts';
import { BUILT_IN_TYPES } from './data-type.ts';
import { namesOneElement } from './index-range.ts';
import type { DataTypeName } from '../opcua-address.ts';
import { ARRAY_TYPES, VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';
import type { WriteType } from './write-type.ts';

const INTEGER_RANGES: Partial<Record<DataTypeName, readonly [minimum: bigint, maximum: bigint]>> = {
  SByte: [-(2n ** 7n), 2n ** 7n - 1n],
  Byte: [0n, 2n ** 8n - 1n],
  Int16: [-(2n ** 15n), 2n ** 15n - 1n],
  UInt16: [0n, 2n ** 16n - 1n],
  Int32: [-(2n ** 31n), 2n ** 31n - 1n],
  UInt32: [0n, 2n ** 32n - 1n],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n],
  UInt64: [0n, 2n ** 64n - 1n],
};

const DECIMAL = /^-?\d{1,20}$/;
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// A Date of ECMAScript ends before a DateTime of OPC UA; both begin as defined in Part 6, 5.2.2.5.
const EARLIEST_MS = Date.UTC(1601, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * Encodes a value as the Variant that a server expects.
 *
 * Fractions are rounded to the nearest for integer types. A DateTime is parsed from text (ISO 8601) or milliseconds
 * since the epoch. An array is parsed from JSON text or, for Byte, from bytes. A scalar is never converted to an array.
 *
 * @param range number of written elements in each dimension; absent: all
 */
export function encodeVariant(
  { type, rank = 0 }: WriteType,
  value: ChannelValue,
  range?: readonly number[],
): VariantLike | VariantFault {
  if (range !== undefined) {
    return namesOneElement(range)
      ? encodeElement(type, value, range)
      : encodeArray(type, value, { rank: range.length, expected: range });
  }
  if (rank !== 0) return encodeArray(type, value, { rank: rank === 'SOME' ? undefined : rank });
  const encoded = encodeScalar(type, value);
  if (encoded instanceof VariantFault) return encoded;
  return { dataType: BUILT_IN_TYPES[type], arrayType: ARRAY_TYPES.scalar, value: encoded };
}

// One element has as many dimensions as its array (OPC 10000-4, 7.27).
function encodeElement(
  type: DataTypeName,
  value: ChannelValue,
  dimensions: readonly number[],
): VariantLike | VariantFault {
  const encoded = encodeScalar(type, value);
  return encoded instanceof VariantFault
    ? encoded
    : toArrayVariant(type, { elements: [encoded], dimensions });
}

function encodeArray(
  type: DataTypeName,
  value: ChannelValue,
  { rank, expected }: { readonly rank?: number | undefined; readonly expected?: readonly number[] },
): VariantLike | VariantFault {
  const given = toElements(type, value, rank);
  if (given instanceof VariantFault) return given;
  const { dimensions } = given;
  if (expected !== undefined && String(dimensions) !== String(expected)) {
    const message = `expected ${expected.join(' × ')} elements, not ${dimensions.join(' × ')}`;
    return new VariantFault('VALUE_OUT_OF_RANGE', message);
  }
  const elements: unknown[] = [];
  for (const [index, element] of given.elements.entries()) {
    const encoded = encodeScalar(type, element);
    if (encoded instanceof VariantFault) {
      return new VariantFault(encoded.code, `element [${index}]: ${encoded.message}`);
    }
    elements.push(encoded);
  }
  return toArrayVariant(type, { elements, dimensions });
}

function toElements(
  type: DataTypeName,
  value: ChannelValue,
  rank: number | undefined,
): ArrayValue<ChannelValue> | VariantFault {
  if (typeof value === 'string') return parseElements(type, value, rank);
  if (type === 'Byte' && typeof value === 'object' && (rank ?? 1) === 1) {
    return { elements: [...value], dimensions: [value.length] };
  }
  const message = `the server takes an array of ${type} here, as JSON text of a STRING; indexRange names one element`;
  return new VariantFault('OPCUA_ARRAY_VALUE', message);
}

function toArrayVariant(type: DataTypeName, { elements, dimensions }: ArrayValue<unknown>): VariantLike {
  const dataType = BUILT_IN_TYPES[type];
  // A dimension is greater than 0 (OPC 10000-6, 5.2.2.16), so an empty array has none.
  return dimensions.length === 1 || elements.length === 0
    ? { dataType, arrayType: ARRAY_TYPES.array, value: elements }
    : { dataType, arrayType: ARRAY_TYPES.matrix, value: elements, dimensions: [...dimensions] };
}

function encodeScalar(type: DataTypeName, value: ChannelValue): unknown {
  switch (type) {
    case 'Boolean':
      return encodeBoolean(value);
    case 'Float':
    case 'Double':
      return encodeFloat(type, value);
    case 'String':
      return typeof value === 'string' ? value : mismatch(type);
    case 'LocalizedText':
      return typeof value === 'string' ? { text: value } : mismatch(type);
    case 'Guid':
      return encodeGuid(value);
    case 'ByteString':
      return typeof value === 'object' ? Buffer.from(value) : mismatch(type);
    case 'DateTime':
      return encodeDateTime(value);
    default:
      return encodeInteger(type, value);
  }
}

function encodeBoolean(value: ChannelValue): boolean | VariantFault {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'number' && typeof value !== 'bigint') return mismatch('Boolean');
  const number = Number(value);
  return number === 0 || number === 1 ? number === 1 : outOfRange('Boolean', value);
}

function encodeFloat(type: 'Float' | 'Double', value: ChannelValue): number | VariantFault {
  if (typeof value !== 'number' && typeof value !== 'bigint') return mismatch(type);
  const number = Number(value);
  if (type === 'Double') return number;
  const rounded = Math.fround(number);
  return Number.isFinite(rounded) || !Number.isFinite(number) ? rounded : outOfRange(type, value);
}

function encodeInteger(
  type: DataTypeName,
  value: ChannelValue,
): number | readonly [number, number] | VariantFault {
  const number = typeof value === 'boolean' ? Number(value) : toDigits(type, value);
  if (typeof number !== 'number' && typeof number !== 'bigint') return mismatch(type);
  if (typeof number === 'number' && !Number.isFinite(number)) return outOfRange(type, number);
  const integer = typeof number === 'bigint' ? number : BigInt(Math.round(number));
  const [minimum, maximum] = INTEGER_RANGES[type] ?? [0n, 0n];
  if (integer < minimum || integer > maximum) return outOfRange(type, number);
  if (type !== 'Int64' && type !== 'UInt64') return Number(integer);
  const bits = BigInt.asUintN(64, integer);
  return [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
}

// Integers of 64 bits may be given as text: see `decodeBuiltIn`.
function toDigits(type: DataTypeName, value: ChannelValue): ChannelValue {
  const isLong = type === 'Int64' || type === 'UInt64';
  return isLong && typeof value === 'string' && DECIMAL.test(value) ? BigInt(value) : value;
}

function encodeGuid(value: ChannelValue): string | VariantFault {
  if (typeof value !== 'string') return mismatch('Guid');
  return GUID.test(value) ? value : outOfRange('Guid', value);
}

function encodeDateTime(value: ChannelValue): Date | VariantFault {
  if (typeof value === 'boolean' || typeof value === 'object') return mismatch('DateTime');
  const date = new Date(typeof value === 'string' ? value : Math.round(Number(value)));
  const timeMs = date.getTime();
  if (Number.isNaN(timeMs) || timeMs < EARLIEST_MS || timeMs > LATEST_MS)
    return outOfRange('DateTime', value);
  return date;
}

function mismatch(type: DataTypeName): VariantFault {
  return new VariantFault('VALUE_TYPE_MISMATCH', `the server takes a ${type} here`);
}

function outOfRange(type: DataTypeName, value: ChannelValue): VariantFault {
  return new VariantFault('VALUE_OUT_OF_RANGE', `${String(value)} is out of the range of ${type}`);
}
