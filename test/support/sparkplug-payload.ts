import { PAYLOAD } from './sparkplug-schema.ts';

/** Fields that have the value of a metric. */
type ValueField =
  | 'intValue'
  | 'longValue'
  | 'floatValue'
  | 'doubleValue'
  | 'booleanValue'
  | 'stringValue'
  | 'bytesValue'
  | 'datasetValue';

/** Property of a decoded metric. */
export interface SparkplugProperty {
  readonly type?: number;
  readonly isNull?: boolean;
  readonly [value: string]: unknown;
}

/** Decoded metric; integers of 64 bits are texts of digits, bytes a Buffer, and `value` the name of the field with the value. */
export interface SparkplugMetric {
  readonly name?: string;
  readonly alias?: string;
  readonly timestamp?: string;
  readonly datatype?: number;
  readonly isHistorical?: boolean;
  readonly isNull?: boolean;
  readonly properties?: { readonly keys: readonly string[]; readonly values: readonly SparkplugProperty[] };
  readonly value?: ValueField;
  readonly intValue?: number;
  readonly longValue?: string;
  readonly floatValue?: number;
  readonly doubleValue?: number;
  readonly booleanValue?: boolean;
  readonly stringValue?: string;
  readonly bytesValue?: Buffer;
  readonly datasetValue?: SparkplugDataSet;
}

/** Decoded data set. */
export interface SparkplugDataSet {
  readonly numOfColumns?: string;
  readonly columns?: readonly string[];
  readonly types?: readonly number[];
  readonly rows?: readonly { readonly elements?: readonly Omit<SparkplugMetric, 'datasetValue'>[] }[];
}

/** Decoded payload. */
export interface SparkplugPayload {
  readonly timestamp?: string;
  readonly seq?: string;
  readonly metrics: readonly SparkplugMetric[];
}

/** Decodes a payload with the published schema and a library: independent of the encoder of the bundle. */
export function decodeSparkplug(bytes: Uint8Array): SparkplugPayload {
  const message = PAYLOAD.decode(bytes);
  const payload: Partial<SparkplugPayload> = PAYLOAD.toObject(message, { longs: String, oneofs: true });
  return { ...payload, metrics: payload.metrics ?? [] };
}

/** Encodes a payload with the same library, as host applications do. */
export function encodeSparkplug(payload: Readonly<Record<string, unknown>> | SparkplugPayload): Buffer {
  return Buffer.from(PAYLOAD.encode(PAYLOAD.fromObject({ ...payload })).finish());
}

/** Returns the value of a decoded metric; undefined: null. */
export function valueOf(metric: SparkplugMetric): unknown {
  return metric.value === undefined ? undefined : metric[metric.value];
}
