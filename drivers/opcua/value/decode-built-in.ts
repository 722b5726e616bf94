import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import { formatElement, formatElements } from './array-value.ts';
import { BUILT_IN_TYPES } from './data-type.ts';
import type { BuiltInType } from './data-type.ts';
import { MAXIMUM_DIMENSIONS, namesOneElement } from './index-range.ts';
import { formatNodeIdText } from './node-id.ts';
import type { NodeIdLike } from './node-id.ts';
import { ARRAY_TYPES, VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';

/** Parts of a Variant that a channel uses. */
export interface Wanted {
  readonly valueType: ValueType;
  /** Number of elements of its range in each dimension; absent: no range. */
  readonly range?: readonly number[] | undefined;
}

/**
 * Takes the value for a channel out of a Variant of a built-in type.
 *
 * Numbers and booleans stay unchanged, Int64 and UInt64 keep every digit as bigint, or as text for STRING; a ByteString or an array of Byte is
 * bytes. An array is JSON text for STRING; elsewhere an array of one element is that element. A DateTime is its text
 * (ISO 8601) for STRING, else milliseconds since the epoch. Types that are names are their text. A text that was not
 * UTF-8, or holds U+FFFD, is no value.
 */
export function decodeBuiltIn(
  type: BuiltInType,
  variant: VariantLike,
  wanted: Wanted,
): ChannelValue | VariantFault {
  return variant.arrayType === ARRAY_TYPES.scalar
    ? decodeSingle(type, variant.value, wanted.valueType)
    : decodeArray(type, variant, wanted);
}

/** Formats a Variant of a built-in type as JSON text. */
export function formatBuiltIn(
  type: BuiltInType,
  { arrayType, value, dimensions }: VariantLike,
): string | VariantFault {
  if (arrayType !== ARRAY_TYPES.scalar) {
    return formatArray(type, value as ArrayLike<unknown>, dimensions);
  }
  const decoded = decodePart(type, value);
  return decoded instanceof VariantFault ? decoded : formatElement(type, decoded);
}

function decodeArray(
  type: BuiltInType,
  { value, dimensions }: VariantLike,
  { valueType, range }: Wanted,
): ChannelValue | VariantFault {
  const elements = value as ArrayLike<unknown>;
  const { length } = elements;
  const isElementWanted = range !== undefined && namesOneElement(range);
  if (range !== undefined && length > range.reduce((product, each) => product * each, 1)) {
    const message = `the server ignores indexRange: it returned an array of ${length} values`;
    return new VariantFault('OPCUA_ARRAY_VALUE', message);
  }
  // Part 6, 5.2.2.16: an array of Byte and a ByteString are equivalent for a reader.
  if (valueType === 'BYTE_ARRAY' && BUILT_IN_TYPES[type] === BUILT_IN_TYPES.Byte) {
    return Uint8Array.from(elements as ArrayLike<number>);
  }
  if (valueType === 'STRING' && !isElementWanted) return formatArray(type, elements, dimensions);
  if (length === 1 && elements[0] !== null && elements[0] !== undefined) {
    return decodeSingle(type, elements[0], valueType);
  }
  const message = `the server holds an array of ${length} values; use indexRange for one of them or value type STRING for all`;
  return new VariantFault('OPCUA_ARRAY_VALUE', message);
}

function formatArray(
  type: BuiltInType,
  elements: ArrayLike<unknown>,
  dimensions: VariantLike['dimensions'],
): string | VariantFault {
  const texts: string[] = [];
  for (let index = 0; index < elements.length; index += 1) {
    const value = decodePart(type, elements[index]);
    if (value instanceof VariantFault)
      return new VariantFault(value.code, `element [${index}]: ${value.message}`);
    texts.push(formatElement(type, value));
  }
  return formatElements({ elements: texts, dimensions: toDimensions(dimensions, texts.length) });
}

/** Decodes an element or a field; null if the server has none, also for a null String and a name without text. */
function decodePart(type: BuiltInType, value: unknown): ChannelValue | VariantFault | null {
  if (value === null || value === undefined) return null;
  const isName = type === 'LocalizedText' || type === 'QualifiedName';
  return isName && findName(value) === undefined ? null : decodeScalar(type, value, 'STRING');
}

/** Returns the dimensions of an array; those that do not match its elements are ignored. */
export function toDimensions(dimensions: VariantLike['dimensions'], count: number): readonly number[] {
  const known = dimensions ?? [];
  const isWhole =
    known.length <= MAXIMUM_DIMENSIONS && known.reduce((product, each) => product * each, 1) === count;
  return known.length > 0 && isWhole ? known : [count];
}

// As text, an integer of 64 bits has every digit, which no other value type has for all of them.
function decodeSingle(type: BuiltInType, value: unknown, valueType: ValueType): ChannelValue | VariantFault {
  const decoded = decodeScalar(type, value, valueType);
  return valueType === 'STRING' && typeof decoded === 'bigint' ? String(decoded) : decoded;
}

function decodeScalar(type: BuiltInType, value: unknown, valueType: ValueType): ChannelValue | VariantFault {
  switch (type) {
    case 'Int64':
      return BigInt.asIntN(64, joinWords(value));
    case 'UInt64':
      return joinWords(value);
    case 'DateTime':
      return decodeDateTime(value as Date, valueType);
    case 'LocalizedText':
    case 'QualifiedName':
      return decodeName(value as NameLike);
    case 'Guid':
      // One canonical form for all spellings.
      return String(value).toUpperCase();
    case 'NodeId':
    case 'ExpandedNodeId':
      return checkText(formatNodeIdText(value as NodeIdLike));
    case 'StatusCode':
      return String(value);
    default:
      return typeof value === 'string' ? checkText(value) : (value as ChannelValue);
  }
}

const INDEXED = /^\d+:/;
// The library inserts this character for invalid UTF-8.
const REPLACEMENT = '\ufffd';

function checkText(text: string): string | VariantFault {
  if (!text.includes(REPLACEMENT)) return text;
  return new VariantFault('VALUE_NOT_TEXT', 'the server returned text that is not UTF-8');
}

function joinWords(value: unknown): bigint {
  const [high, low] = value as readonly [number, number];
  return (BigInt(high) << 32n) | BigInt(low);
}

function decodeDateTime(value: Date, valueType: ValueType): ChannelValue | VariantFault {
  const timeMs = value.getTime();
  if (Number.isNaN(timeMs)) return new VariantFault('OPCUA_NO_VALUE', 'the server returned an invalid time');
  return valueType === 'STRING' ? value.toISOString() : timeMs;
}

/** LocalizedText has a text, QualifiedName a name. */
interface NameLike {
  readonly text?: string | null;
  readonly name?: string | null;
  readonly namespaceIndex?: number;
}

function decodeName(value: NameLike): ChannelValue | VariantFault {
  const found = findName(value);
  return found === undefined
    ? new VariantFault('OPCUA_NO_VALUE', 'the server returned an empty name')
    : checkText(found);
}

function findName({ text, name, namespaceIndex = 0 }: NameLike): string | undefined {
  if (typeof text === 'string') return text;
  if (typeof name !== 'string') return undefined;
  // The form of the standard, which omits index 0 unless the name itself looks like one (OPC 10000-6, 5.1.12).
  return namespaceIndex === 0 && !INDEXED.test(name) ? name : `${namespaceIndex}:${name}`;
}
