import { DATA_TYPE } from './data-type.ts';
import type { DataType, MetricValue } from './data-type.ts';

type Put = (view: DataView, at: number, value: string) => void;
type Get = (view: DataView, at: number) => number | bigint;

/** Size of an element, and how it is written and read, in little-endian order (Sparkplug 3.0, 6.4.16.3). */
interface ElementForm {
  readonly bytes: number;
  readonly put: Put;
  readonly get: Get;
  /** Smallest and largest value of an integer; undefined: a floating-point number. */
  readonly range?: readonly [bigint, bigint];
}

function integer(
  bits: number,
  isSigned: boolean,
  put: (view: DataView, at: number, value: bigint) => void,
  get: Get,
): ElementForm {
  const range = isSigned
    ? ([-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n] as const)
    : ([0n, 2n ** BigInt(bits) - 1n] as const);
  return { bytes: bits / 8, range, put: (view, at, value) => put(view, at, BigInt(value)), get };
}

const FORMS: ReadonlyMap<DataType, ElementForm> = new Map<DataType, ElementForm>([
  [
    DATA_TYPE.Int8Array,
    integer(
      8,
      true,
      (view, at, value) => view.setInt8(at, Number(value)),
      (view, at) => view.getInt8(at),
    ),
  ],
  [
    DATA_TYPE.Int16Array,
    integer(
      16,
      true,
      (view, at, value) => view.setInt16(at, Number(value), true),
      (view, at) => view.getInt16(at, true),
    ),
  ],
  [
    DATA_TYPE.Int32Array,
    integer(
      32,
      true,
      (view, at, value) => view.setInt32(at, Number(value), true),
      (view, at) => view.getInt32(at, true),
    ),
  ],
  [
    DATA_TYPE.Int64Array,
    integer(
      64,
      true,
      (view, at, value) => view.setBigInt64(at, value, true),
      (view, at) => view.getBigInt64(at, true),
    ),
  ],
  [
    DATA_TYPE.UInt8Array,
    integer(
      8,
      false,
      (view, at, value) => view.setUint8(at, Number(value)),
      (view, at) => view.getUint8(at),
    ),
  ],
  [
    DATA_TYPE.UInt16Array,
    integer(
      16,
      false,
      (view, at, value) => view.setUint16(at, Number(value), true),
      (view, at) => view.getUint16(at, true),
    ),
  ],
  [
    DATA_TYPE.UInt32Array,
    integer(
      32,
      false,
      (view, at, value) => view.setUint32(at, Number(value), true),
      (view, at) => view.getUint32(at, true),
    ),
  ],
  [
    DATA_TYPE.UInt64Array,
    integer(
      64,
      false,
      (view, at, value) => view.setBigUint64(at, value, true),
      (view, at) => view.getBigUint64(at, true),
    ),
  ],
  [
    DATA_TYPE.FloatArray,
    {
      bytes: 4,
      put: (view, at, value) => view.setFloat32(at, Number(value), true),
      get: (view, at) => view.getFloat32(at, true),
    },
  ],
  [
    DATA_TYPE.DoubleArray,
    {
      bytes: 8,
      put: (view, at, value) => view.setFloat64(at, Number(value), true),
      get: (view, at) => view.getFloat64(at, true),
    },
  ],
]);

const INTEGER = /^-?\d{1,20}$/;
const NUMBER = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$|^"(?:NaN|-?Infinity)"$/;

/** True for a data type whose values are arrays. */
export function isArrayType(type: DataType): boolean {
  return type === DATA_TYPE.BooleanArray || type === DATA_TYPE.StringArray || FORMS.has(type);
}

/**
 * Packs an array, which is the JSON text of a STRING channel.
 *
 * @returns undefined if it is no array of elements of the type
 */
function packArray(type: DataType, text: string): Uint8Array | undefined {
  if (type === DATA_TYPE.BooleanArray)
    return packBooleans(parseList(text, (each): each is boolean => typeof each === 'boolean'));
  if (type === DATA_TYPE.StringArray)
    return packTexts(parseList(text, (each): each is string => typeof each === 'string'));
  const form = FORMS.get(type);
  const inner = /^\[([^[\]]*)\]$/.exec(text.trim())?.[1]?.trim();
  if (form === undefined || inner === undefined) return undefined;
  // Not by JSON: integers of 64 bits keep all digits.
  const elements = inner === '' ? [] : inner.split(',').map((element) => element.trim());
  if (!elements.every((element) => fits(element, form))) return undefined;
  const bytes = new Uint8Array(elements.length * form.bytes);
  const view = new DataView(bytes.buffer);
  for (const [index, element] of elements.entries()) {
    form.put(view, index * form.bytes, element.replaceAll('"', ''));
  }
  return bytes;
}

/** Returns the value of a channel as a metric of a data type has it; undefined: there is none, or it is no such array. */
export function toMetricValue(type: DataType, value: MetricValue | undefined): MetricValue | undefined {
  if (!isArrayType(type)) return value;
  return typeof value === 'string' ? packArray(type, value) : undefined;
}

/**
 * Unpacks an array to JSON text.
 *
 * @returns undefined if the bytes are no array of the type
 */
export function unpackArray(type: DataType, bytes: Uint8Array): string | undefined {
  if (type === DATA_TYPE.BooleanArray) return unpackBooleans(bytes);
  if (type === DATA_TYPE.StringArray) return unpackTexts(bytes);
  const form = FORMS.get(type);
  if (form === undefined || bytes.length % form.bytes !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const elements = Array.from({ length: bytes.length / form.bytes }, (_, index) =>
    form.get(view, index * form.bytes),
  );
  return `[${elements.map((each) => (typeof each === 'number' && !Number.isFinite(each) ? `"${each}"` : String(each))).join(',')}]`;
}

function fits(element: string, { range }: ElementForm): boolean {
  if (range === undefined) return NUMBER.test(element);
  if (!INTEGER.test(element)) return false;
  const value = BigInt(element);
  return value >= range[0] && value <= range[1];
}

function parseList<T>(text: string, isElement: (value: unknown) => value is T): readonly T[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isElement) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** A number of four bytes, then a bit for each value, the first in the highest bit. */
function packBooleans(list: readonly boolean[] | undefined): Uint8Array | undefined {
  if (list === undefined) return undefined;
  const bytes = new Uint8Array(4 + Math.ceil(list.length / 8));
  new DataView(bytes.buffer).setUint32(0, list.length, true);
  for (const [index, isOn] of list.entries()) {
    const at = 4 + (index >> 3);
    if (isOn) bytes[at] = (bytes[at] ?? 0) | (128 >> (index & 7));
  }
  return bytes;
}

function unpackBooleans(bytes: Uint8Array): string | undefined {
  if (bytes.length < 4) return undefined;
  const count = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  if (bytes.length !== 4 + Math.ceil(count / 8)) return undefined;
  const list = Array.from(
    { length: count },
    (_, index) => ((bytes[4 + (index >> 3)] ?? 0) & (128 >> (index & 7))) !== 0,
  );
  return JSON.stringify(list);
}

/** Each text is followed by a zero. */
function packTexts(list: readonly string[] | undefined): Uint8Array | undefined {
  if (list === undefined || list.some((text) => text.includes('\0'))) return undefined;
  return Uint8Array.from(Buffer.from(list.map((text) => `${text}\0`).join('')));
}

function unpackTexts(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return '[]';
  if (bytes.at(-1) !== 0) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, -1));
    return JSON.stringify(text.split('\0'));
  } catch {
    return undefined;
  }
}
