/** The part of a Variant of the library used here. */
export interface VariantLike {
  /** Number of the built-in type; 0 means no value. */
  readonly dataType: number;
  /** See `ARRAY_TYPES`. */
  readonly arrayType: number;
  /** Int64 and UInt64 are `[high, low]`, two unsigned 32-bit words. */
  readonly value: unknown;
  /** Length of each dimension of a matrix; mutable because the options of the library are. */
  readonly dimensions?: number[] | null;
}

/** Array types of a Variant. */
export const ARRAY_TYPES = { scalar: 0, array: 1, matrix: 2 } as const;

/** Number of the built-in type Variant: elements of an array that each have a type of their own. */
export const VARIANT_TYPE = 24;

/** True for a Variant of the library. */
export function isVariant(value: unknown): value is VariantLike {
  return typeof value === 'object' && value !== null && 'dataType' in value && 'arrayType' in value;
}

/** Creates a Variant of the library, with those that it contains. */
export function createVariant<LibraryVariant>(
  variant: VariantLike,
  Variant: new (options: VariantLike) => LibraryVariant,
): LibraryVariant {
  const { dataType, value } = variant;
  if (dataType !== VARIANT_TYPE || !Array.isArray(value)) return new Variant(variant);
  const elements: readonly unknown[] = value;
  return new Variant({
    ...variant,
    value: elements.map((element) => (isVariant(element) ? createVariant(element, Variant) : element)),
  });
}

/** Returns the number of dimensions of a value; 0 for a scalar. */
export function countDimensions({ arrayType, dimensions }: VariantLike): number {
  if (arrayType === ARRAY_TYPES.scalar) return 0;
  return arrayType === ARRAY_TYPES.array ? 1 : (dimensions?.length ?? 1);
}

/**
 * Reason why a Variant does not fit a channel or a value does not fit a Variant; an expected outcome, not an exception.
 */
export class VariantFault {
  readonly code:
    | 'OPCUA_NO_VALUE'
    | 'OPCUA_ARRAY_VALUE'
    | 'OPCUA_DATA_TYPE_UNKNOWN'
    | 'OPCUA_FIELD_UNKNOWN'
    | 'OPCUA_TYPE_UNAVAILABLE'
    | 'OPCUA_UNSUPPORTED_TYPE'
    | 'VALUE_NOT_TEXT'
    | 'VALUE_OUT_OF_RANGE'
    | 'VALUE_TYPE_MISMATCH';
  readonly message: string;

  constructor(code: VariantFault['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}
