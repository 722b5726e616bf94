import protobuf from 'protobufjs';

/** The messages of the published schema, as far as an edge node without templates and data sets has them. */
const SCHEMA = `
  syntax = "proto2";
  message PropertyValue {
    optional uint32 type = 1;
    optional bool isNull = 2;
    oneof value {
      uint32 intValue = 3;
      uint64 longValue = 4;
      float floatValue = 5;
      double doubleValue = 6;
      bool booleanValue = 7;
      string stringValue = 8;
    }
  }
  message PropertySet {
    repeated string keys = 1;
    repeated PropertyValue values = 2;
  }
  message Metric {
    optional string name = 1;
    optional uint64 alias = 2;
    optional uint64 timestamp = 3;
    optional uint32 datatype = 4;
    optional bool isHistorical = 5;
    optional bool isTransient = 6;
    optional bool isNull = 7;
    optional PropertySet properties = 9;
    oneof value {
      uint32 intValue = 10;
      uint64 longValue = 11;
      float floatValue = 12;
      double doubleValue = 13;
      bool booleanValue = 14;
      string stringValue = 15;
      bytes bytesValue = 16;
    }
  }
  message Payload {
    optional uint64 timestamp = 1;
    repeated Metric metrics = 2;
    optional uint64 seq = 3;
  }`;
const payloadType = protobuf.parse(SCHEMA, { keepCase: true }).root.lookupType('Payload');

/** Fields that have the value of a metric. */
type ValueField =
  | 'intValue'
  | 'longValue'
  | 'floatValue'
  | 'doubleValue'
  | 'booleanValue'
  | 'stringValue'
  | 'bytesValue';

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
}

/** Decoded payload. */
export interface SparkplugPayload {
  readonly timestamp?: string;
  readonly seq?: string;
  readonly metrics: readonly SparkplugMetric[];
}

/** Decodes a payload with the published schema and a library: independent of the encoder of the bundle. */
export function decodeSparkplug(bytes: Uint8Array): SparkplugPayload {
  const message = payloadType.decode(bytes);
  const payload: Partial<SparkplugPayload> = payloadType.toObject(message, { longs: String, oneofs: true });
  return { ...payload, metrics: payload.metrics ?? [] };
}

/** Encodes a payload with the same library, as host applications do. */
export function encodeSparkplug(payload: Readonly<Record<string, unknown>> | SparkplugPayload): Buffer {
  return Buffer.from(payloadType.encode(payloadType.fromObject({ ...payload })).finish());
}

/** Returns the value of a decoded metric; undefined: null. */
export function valueOf(metric: SparkplugMetric): unknown {
  return metric.value === undefined ? undefined : metric[metric.value];
}
