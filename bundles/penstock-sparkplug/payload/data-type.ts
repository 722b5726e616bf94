/** Data types of Sparkplug that the gateway sends or receives, with their numbers (Sparkplug 3.0, 6.4.16). */
export const DATA_TYPE = {
  Int8: 1,
  Int16: 2,
  Int32: 3,
  Int64: 4,
  UInt8: 5,
  UInt16: 6,
  UInt32: 7,
  UInt64: 8,
  Float: 9,
  Double: 10,
  Boolean: 11,
  String: 12,
  DateTime: 13,
  Text: 14,
  UUID: 15,
  DataSet: 16,
  Bytes: 17,
  Int8Array: 22,
  Int16Array: 23,
  Int32Array: 24,
  Int64Array: 25,
  UInt8Array: 26,
  UInt16Array: 27,
  UInt32Array: 28,
  UInt64Array: 29,
  FloatArray: 30,
  DoubleArray: 31,
  BooleanArray: 32,
  StringArray: 33,
} as const;
export type DataType = (typeof DATA_TYPE)[keyof typeof DATA_TYPE];

/** Types in which the gateway sends values: a type for each value type of its channels. */
export const METRIC_TYPES: ReadonlyMap<string, DataType> = new Map<string, DataType>([
  ['BOOLEAN', DATA_TYPE.Boolean],
  ['INTEGER', DATA_TYPE.Int32],
  ['LONG', DATA_TYPE.Int64],
  ['FLOAT', DATA_TYPE.Float],
  ['DOUBLE', DATA_TYPE.Double],
  ['STRING', DATA_TYPE.String],
  ['BYTE_ARRAY', DATA_TYPE.Bytes],
]);

/** Value of a metric: Int64 is a bigint, Bytes a Uint8Array. */
export type MetricValue = boolean | number | bigint | string | Uint8Array;

/** Data set with one row: an element for each column; undefined: null. */
export interface DataSetRow {
  readonly columns: readonly { readonly name: string; readonly type: DataType }[];
  readonly elements: readonly (MetricValue | undefined)[];
}

/** True if values of a type can be elements of a data set: numbers, booleans and texts (Sparkplug 3.0, 6.4.14). */
export function isColumnType(type: DataType): boolean {
  return type <= DATA_TYPE.Text;
}

/** Property of a metric. */
export interface MetricProperty {
  readonly key: string;
  readonly type: DataType;
  readonly value: MetricValue;
}

/** Metric of a message to be sent. */
export interface Metric {
  /** In births and deaths; it brings the data type with it. */
  readonly name?: string | undefined;
  readonly alias?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly type: DataType;
  /** Undefined: null. */
  readonly value: MetricValue | DataSetRow | undefined;
  readonly isHistorical?: boolean | undefined;
  readonly properties?: readonly MetricProperty[] | undefined;
}

/** Quality codes (Sparkplug 3.0, 6.4.8.1). */
export const QUALITY = { BAD: 0, GOOD: 192, STALE: 500 } as const;
export type Quality = (typeof QUALITY)[keyof typeof QUALITY];
