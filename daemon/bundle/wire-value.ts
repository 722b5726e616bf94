/** A value of a channel as it travels between gateway and bundle: what JSON has no form for is an object that names it. */
export type WireValue =
  | boolean
  | string
  | number
  | { readonly long: string }
  | { readonly number: 'NaN' | 'Infinity' | '-Infinity' }
  | { readonly bytes: string };

/** A value of a channel in memory: LONG is a bigint, BYTE_ARRAY bytes. */
export type PlainValue = boolean | number | bigint | string | Uint8Array;

/** @throws {TypeError} when it is no value of a channel */
export function toWireValue(value: PlainValue): WireValue {
  if (typeof value === 'bigint') return { long: value.toString() };
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : { number: String(value) as 'NaN' };
  }
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  throw new TypeError('expected a boolean, number, bigint, string or Uint8Array');
}

export function fromWireValue(value: WireValue): PlainValue {
  if (typeof value !== 'object') return value;
  if ('long' in value) return BigInt(value.long);
  if ('number' in value) return Number(value.number);
  return new Uint8Array(Buffer.from(value.bytes, 'base64'));
}
