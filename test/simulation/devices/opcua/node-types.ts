import { DataType } from 'node-opcua-client';

import type { RestValue } from '../../world/truth.ts';
import { elementsOf } from './element-range.ts';
import { VALUE_KINDS } from '../value-kind.ts';
import type { ValueKind } from '../value-kind.ts';

/** The type of a node, and how its values travel. */
export interface NodeType {
  readonly kind: ValueKind;
  readonly dataType: DataType;
  /** What the attribute DataType says, as a number of the standard namespace. */
  readonly declared: number;
  /** Number of elements of an array of one dimension; absent: it is a scalar. */
  readonly length?: number;
  /** Returns the value in a Variant. */
  readonly encode: (value: RestValue) => unknown;
  /** Returns what a client wrote; undefined when it is no value of the type. */
  readonly decode: (value: unknown) => RestValue | undefined;
}

// Stands for all types of numbers (OPC 10000-5, 12.2.9): the value tells which one it is.
const NUMBER = 26;
const ARRAY_LENGTH = 4;
const WORD = 2 ** 32;

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Types of nodes. */
export const NODE_TYPES = {
  Double: {
    kind: VALUE_KINDS.double,
    dataType: DataType.Double,
    declared: DataType.Double,
    encode: same,
    decode: asNumber,
  },
  /** A Double of a node that does not say that it is one. */
  Number: {
    kind: VALUE_KINDS.double,
    dataType: DataType.Double,
    declared: NUMBER,
    encode: same,
    decode: asNumber,
  },
  Float: {
    kind: VALUE_KINDS.float,
    dataType: DataType.Float,
    declared: DataType.Float,
    encode: same,
    decode: asNumber,
  },
  Int32: {
    kind: VALUE_KINDS.integer32,
    dataType: DataType.Int32,
    declared: DataType.Int32,
    encode: same,
    decode: asNumber,
  },
  UInt16: {
    kind: VALUE_KINDS.integer16,
    dataType: DataType.UInt16,
    declared: DataType.UInt16,
    encode: same,
    decode: asNumber,
  },
  Int64: {
    kind: VALUE_KINDS.integer64,
    dataType: DataType.Int64,
    declared: DataType.Int64,
    encode: (value) => [Math.floor(Number(value) / WORD), Number(value) % WORD],
    decode: toInteger64,
  },
  Boolean: {
    kind: VALUE_KINDS.boolean,
    dataType: DataType.Boolean,
    declared: DataType.Boolean,
    encode: same,
    decode: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  String: {
    kind: VALUE_KINDS.text,
    dataType: DataType.String,
    declared: DataType.String,
    encode: same,
    decode: (value) => (typeof value === 'string' ? value : undefined),
  },
  /** A String of many lines. */
  Report: {
    kind: VALUE_KINDS.longText,
    dataType: DataType.String,
    declared: DataType.String,
    encode: same,
    decode: (value) => (typeof value === 'string' ? value : undefined),
  },
  ByteString: {
    kind: VALUE_KINDS.bytes,
    dataType: DataType.ByteString,
    declared: DataType.ByteString,
    encode: (value) => Buffer.from(String(value), 'base64'),
    decode: (value) => (Buffer.isBuffer(value) ? value.toString('base64') : undefined),
  },
} as const satisfies Readonly<Record<string, NodeType>>;

/** Arrays of Int32, as JSON text. No element has the value of another one, or of its own before. */
export const INT32_ARRAY: NodeType & { readonly length: number } = {
  kind: {
    valueType: 'STRING',
    make: (point, count) => JSON.stringify(makeElements(point, count * ARRAY_LENGTH, ARRAY_LENGTH)),
  },
  dataType: DataType.Int32,
  declared: DataType.Int32,
  length: ARRAY_LENGTH,
  encode: (value) => [...elementsOf(value)],
  // As on servers that say nothing of the length of an array.
  decode: (value) => (value instanceof Int32Array ? JSON.stringify([...value]) : undefined),
};

/** Makes elements of an array, with numbers that follow each other. */
export function makeElements(point: number, count: number, length: number): readonly number[] {
  return Array.from({ length }, (_, index) => VALUE_KINDS.integer32.make(point, count + index));
}

export type NodeTypeName = keyof typeof NODE_TYPES;

function same(value: RestValue): unknown {
  return value;
}

// The library has a pair of words for it, the high one first.
function toInteger64(value: unknown): RestValue | undefined {
  if (!Array.isArray(value)) return undefined;
  const [high, low] = value as readonly unknown[];
  return typeof high === 'number' && typeof low === 'number' ? high * WORD + low : undefined;
}
