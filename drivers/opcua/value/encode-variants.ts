import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { splitElements } from './array-value.ts';
import { findWritableType } from './data-type.ts';
import { toDimensions } from './decode-built-in.ts';
import { encodeText } from './encode-text.ts';
import { encodeVariant } from './encode-variant.ts';
import { listPositions, namesOneElement, parseIndexRange } from './index-range.ts';
import type { DataTypeName } from '../opcua-address.ts';
import { ARRAY_TYPES, countDimensions, isVariant, VARIANT_TYPE, VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';
import type { VariantElements, WriteType } from './write-type.ts';

export interface VariantsTarget {
  /** Elements that are there now. */
  readonly held: VariantElements;
  /** Type of all elements; absent: each keeps its type. */
  readonly dataType?: DataTypeName | undefined;
  /** NumericRange of the written elements; absent: all. */
  readonly indexRange?: string | undefined;
}

const NO_VALUE: VariantLike = { dataType: 0, arrayType: ARRAY_TYPES.scalar, value: null };

/** Describes the elements of an array of Variant; undefined for other values. */
export function describeElements(variant: VariantLike): VariantElements | undefined {
  const { dataType, arrayType, value, dimensions } = variant;
  if (dataType !== VARIANT_TYPE || arrayType === ARRAY_TYPES.scalar || !Array.isArray(value))
    return undefined;
  const elements: readonly unknown[] = value;
  const empty = elements.flatMap((element, at) => (isVariant(element) && element.dataType !== 0 ? [] : [at]));
  return {
    types: elements.map(toType),
    empty: new Set(empty),
    dimensions: toDimensions(dimensions, elements.length),
  };
}

/**
 * Encodes a value for an array of Variant: JSON text of the elements, or the value of the only element of a range. Each
 * element is encoded in `dataType`, or else in the type that it has now, which no text shows: `7` may be any number.
 *
 * @returns the fault, which names the element, if a type is not defined
 */
export function encodeVariants(target: VariantsTarget, value: ChannelValue): VariantLike | VariantFault {
  const { held, dataType, indexRange } = target;
  const range = indexRange === undefined ? undefined : parseIndexRange(indexRange);
  const positions =
    indexRange === undefined ? [...held.types.keys()] : listPositions(indexRange, held.dimensions);
  if (range !== undefined && namesOneElement(range)) {
    const type = findType(target, positions[0]);
    const encoded = type instanceof VariantFault ? type : encodeVariant(type, value);
    return encoded instanceof VariantFault ? encoded : toArray([encoded], range);
  }
  if (typeof value !== 'string') {
    const message = 'the server takes an array here, as JSON text of a STRING; indexRange names one element';
    return new VariantFault('OPCUA_ARRAY_VALUE', message);
  }
  const given = splitElements(value, range?.length ?? held.dimensions.length);
  if (given instanceof VariantFault) return given;
  const expected = range ?? (dataType === undefined ? held.dimensions : given.dimensions);
  if (String(given.dimensions) !== String(expected)) {
    const reason = range === undefined ? ': each keeps its type; set dataType for elements of one type' : '';
    const message = `expected ${expected.join(' × ')} elements, not ${given.dimensions.join(' × ')}${reason}`;
    return new VariantFault('VALUE_OUT_OF_RANGE', message);
  }
  const elements: VariantLike[] = [];
  for (const [index, text] of given.elements.entries()) {
    const element = encodeElement(target, positions[index], text);
    if (element instanceof VariantFault)
      return new VariantFault(element.code, `element [${index}]: ${element.message}`);
    elements.push(element);
  }
  return toArray(elements, given.dimensions);
}

function encodeElement(
  target: VariantsTarget,
  position: number | undefined,
  text: string,
): VariantLike | VariantFault {
  const isEmpty = position !== undefined && target.held.empty.has(position);
  if (text === 'null' && isEmpty && target.dataType === undefined) return NO_VALUE;
  const type = findType(target, position);
  return type instanceof VariantFault ? type : encodeText(type, text);
}

function findType(
  { held, dataType }: VariantsTarget,
  position: number | undefined,
): WriteType | VariantFault {
  const own = position === undefined ? undefined : held.types[position];
  // An element of another type may be an array as well.
  if (dataType !== undefined) return { type: dataType, rank: own?.rank };
  if (own !== undefined) return own;
  const isEmpty = position === undefined || held.empty.has(position);
  const reason = isEmpty ? 'there is no value that shows its type' : 'its type cannot be written';
  return new VariantFault('OPCUA_DATA_TYPE_UNKNOWN', `${reason}; set dataType for elements of one type`);
}

function toType(element: unknown): WriteType | undefined {
  const type = isVariant(element) ? findWritableType(element.dataType) : undefined;
  return type === undefined || !isVariant(element) ? undefined : { type, rank: countDimensions(element) };
}

function toArray(elements: readonly VariantLike[], dimensions: readonly number[]): VariantLike {
  const variant = { dataType: VARIANT_TYPE, value: elements };
  return dimensions.length === 1 || elements.length === 0
    ? { ...variant, arrayType: ARRAY_TYPES.array }
    : { ...variant, arrayType: ARRAY_TYPES.matrix, dimensions: [...dimensions] };
}
