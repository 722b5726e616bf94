/** The part of a Variant of the library that is used here. */
export interface VariantLike {
  /** Number of the built-in type; 0 is no value. */
  readonly dataType: number;
  /** See `ARRAY_TYPES`. */
  readonly arrayType: number;
  /** Int64 and UInt64 are `[high, low]`, two unsigned words of 32 bits. */
  readonly value: unknown;
  readonly dimensions?: readonly number[] | null | undefined;
}

/** How many values a Variant holds. */
export const ARRAY_TYPES = { scalar: 0, array: 1, matrix: 2 } as const;

/** Returns the number of dimensions of a value; 0 is a scalar. */
export function countDimensions({ arrayType, dimensions }: VariantLike): number {
  if (arrayType === ARRAY_TYPES.scalar) return 0;
  return arrayType === ARRAY_TYPES.array ? 1 : (dimensions?.length ?? 1);
}

/** Why a Variant has no value for a channel, or a value no Variant; an expected outcome, not an exception. */
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
