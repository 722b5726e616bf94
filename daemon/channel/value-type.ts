/** Types of the values that channels carry, as the REST interface names them. */
export const VALUE_TYPES = ['BOOLEAN', 'BYTE_ARRAY', 'DOUBLE', 'FLOAT', 'INTEGER', 'LONG', 'STRING'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/**
 * A value in the memory of the gateway.
 *
 * As the value of a channel it has one shape per type: BOOLEAN boolean; INTEGER number within -2^31..2^31-1; LONG
 * bigint within -2^63..2^63-1; FLOAT number that a 32-bit float holds; DOUBLE number; STRING string; BYTE_ARRAY bytes.
 * What a driver decodes ("raw") has the shape that is natural for the device: number, or bigint where 53 bits do not do.
 */
export type ChannelValue = boolean | number | bigint | string | Uint8Array;

/** Smallest and largest value of the integer types. */
export const INTEGER_RANGE = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } as const;
export const LONG_RANGE = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n } as const;
