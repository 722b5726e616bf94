import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { decodeBuiltIn } from './decode-built-in.ts';
import type { Wanted } from './decode-built-in.ts';
import { findBuiltInType } from './data-type.ts';
import type { FieldStep } from '../opcua-address.ts';
import { namesOneElement } from './index-range.ts';
import { findField, formatAny, STRUCTURE_TYPE } from './structure.ts';
import { ARRAY_TYPES, isVariant, VARIANT_TYPE, VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';

/** Parts of a node value that a channel uses. */
export interface WantedPart extends Wanted {
  /** Path of a structure field; absent: the whole value. */
  readonly path?: readonly FieldStep[] | undefined;
}

/**
 * Decodes a Variant for a channel; see `decodeBuiltIn`. A structure is JSON text as STRING and not supported otherwise;
 * a path selects one of its fields.
 */
export function decodeVariant(variant: VariantLike, wanted: WantedPart): ChannelValue | VariantFault {
  const { path, valueType } = wanted;
  if (path !== undefined) {
    const field = findField(variant, path);
    // The range applies to the node.
    return field instanceof VariantFault ? field : decodeVariant(field, { valueType });
  }
  const { dataType, value } = variant;
  if (dataType === 0 || value === null || value === undefined) {
    return new VariantFault('OPCUA_NO_VALUE', 'the server has no value for it');
  }
  const type = findBuiltInType(dataType);
  if (type !== undefined) return decodeBuiltIn(type, variant, wanted);
  if (dataType === VARIANT_TYPE) return decodeVariants(variant, wanted);
  if (dataType === STRUCTURE_TYPE && valueType === 'STRING') return formatAny(variant);
  const message = 'the value is a structure; use field for a part of it or value type STRING for all of it';
  return new VariantFault('OPCUA_UNSUPPORTED_TYPE', message);
}

// Each element has a type of its own.
function decodeVariants(variant: VariantLike, { valueType, range }: WantedPart): ChannelValue | VariantFault {
  const { arrayType, value } = variant;
  const elements: readonly unknown[] =
    arrayType === ARRAY_TYPES.scalar ? [value] : Array.from(value as ArrayLike<unknown>);
  const isElementWanted = range !== undefined && namesOneElement(range);
  const [only] = elements;
  if (valueType === 'STRING' && !isElementWanted && arrayType !== ARRAY_TYPES.scalar)
    return formatAny(variant);
  if (elements.length === 1 && isVariant(only)) return decodeVariant(only, { valueType });
  const message = `the server holds an array of ${elements.length} values; use indexRange for one of them or value type STRING for all`;
  return new VariantFault('OPCUA_ARRAY_VALUE', message);
}
