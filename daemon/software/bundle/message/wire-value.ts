/** Value of a channel in messages between gateway and bundle; values without a JSON form are objects with a type name. */
export type WireValue =
  | boolean
  | string
  | number
  | { readonly long: string }
  | { readonly number: 'NaN' | 'Infinity' | '-Infinity' | '-0' }
  | { readonly bytes: string };

/** Value of a channel in memory: LONG is a bigint, BYTE_ARRAY a Uint8Array. */
export type PlainValue = boolean | number | bigint | string | Uint8Array;

/**
 * Encodes a value for a message.
 *
 * @throws {TypeError} when it is not a value of a channel
 */
export function toWireValue(value: PlainValue): WireValue {
  if (typeof value === 'bigint') return { long: value.toString() };
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') {
    if (Object.is(value, -0)) return { number: '-0' };
    return Number.isFinite(value) ? value : { number: String(value) as 'NaN' };
  }
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  throw new TypeError('expected a boolean, number, bigint, string or Uint8Array');
}

/** Decodes a value from a message. */
export function fromWireValue(value: WireValue): PlainValue {
  if (typeof value !== 'object') return value;
  if ('long' in value) return BigInt(value.long);
  if ('number' in value) return Number(value.number);
  return new Uint8Array(Buffer.from(value.bytes, 'base64'));
}
