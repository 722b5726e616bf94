import { DATA_TYPE } from './data-type.ts';
import type { DataSetRow, DataType, Metric, MetricProperty, MetricValue } from './data-type.ts';
import { ProtoWriter } from './proto-writer.ts';

/** Payload of a message. */
export interface OutgoingPayload {
  /** Milliseconds since the epoch at which it is sent. */
  readonly timestampMs: number;
  readonly metrics: readonly Metric[];
  /** 0 to 255; undefined in an NDEATH. */
  readonly seq?: number | undefined;
}

// Numbers of the fields in the published schema.
const PAYLOAD = { timestamp: 1, metrics: 2, seq: 3 } as const;
const METRIC = {
  name: 1,
  alias: 2,
  timestamp: 3,
  dataType: 4,
  isHistorical: 5,
  isNull: 7,
  properties: 9,
  int: 10,
  long: 11,
  float: 12,
  double: 13,
  boolean: 14,
  text: 15,
  bytes: 16,
  dataSet: 17,
} as const;
const PROPERTY_SET = { keys: 1, values: 2 } as const;
const DATA_SET = { count: 1, columns: 2, types: 3, rows: 4 } as const;
const ROW = { elements: 1 } as const;
const ELEMENT = { int: 1, long: 2, float: 3, double: 4, boolean: 5, text: 6 } as const;
const PROPERTY = { type: 1, int: 3, long: 4, float: 5, double: 6, boolean: 7, text: 8 } as const;

/** Fields in which the values of a metric, a property or an element of a data set are. */
interface ValueFields {
  readonly int: number;
  readonly long: number;
  readonly float: number;
  readonly double: number;
  readonly boolean: number;
  readonly text: number;
  readonly bytes?: number;
}

// One for all payloads: a buffer that has grown stays.
const writer = new ProtoWriter();

/**
 * Encodes a payload, with its fields in the order of their numbers, as generated encoders do.
 *
 * A metric with a name has its data type too; one without, in a DATA message, has its alias alone.
 */
export function encodePayload({ timestampMs, metrics, seq }: OutgoingPayload): Uint8Array {
  writer.clear();
  writer.integer(PAYLOAD.timestamp, timestampMs);
  for (const metric of metrics) writer.message(PAYLOAD.metrics, () => writeMetric(metric));
  if (seq !== undefined) writer.integer(PAYLOAD.seq, seq);
  return writer.finish();
}

function writeMetric(metric: Metric): void {
  const { name, alias, timestampMs, type, value, isHistorical, properties } = metric;
  if (name !== undefined) writer.text(METRIC.name, name);
  if (alias !== undefined) writer.integer(METRIC.alias, alias);
  writer.integer(METRIC.timestamp, timestampMs);
  if (name !== undefined) writer.integer(METRIC.dataType, type);
  if (isHistorical === true) writer.boolean(METRIC.isHistorical, true);
  if (value === undefined) writer.boolean(METRIC.isNull, true);
  if (properties !== undefined && properties.length > 0) {
    writer.message(METRIC.properties, () => writeProperties(properties));
  }
  if (value === undefined) return;
  if (isRow(value)) writer.message(METRIC.dataSet, () => writeDataSet(value));
  else writeValue(METRIC, type, value);
}

function isRow(value: MetricValue | DataSetRow): value is DataSetRow {
  return typeof value === 'object' && 'columns' in value;
}

function writeDataSet({ columns, elements }: DataSetRow): void {
  writer.integer(DATA_SET.count, columns.length);
  for (const { name } of columns) writer.text(DATA_SET.columns, name);
  for (const { type } of columns) writer.integer(DATA_SET.types, type);
  writer.message(DATA_SET.rows, () => {
    for (const [index, { type }] of columns.entries()) {
      const element = elements[index];
      // There is no flag for null: an element that is null has no value.
      writer.message(ROW.elements, () => element !== undefined && writeValue(ELEMENT, type, element));
    }
  });
}

function writeProperties(properties: readonly MetricProperty[]): void {
  for (const { key } of properties) writer.text(PROPERTY_SET.keys, key);
  for (const { type, value } of properties) {
    writer.message(PROPERTY_SET.values, () => {
      writer.integer(PROPERTY.type, type);
      writeValue(PROPERTY, type, value);
    });
  }
}

function writeValue(fields: ValueFields, type: DataType, value: MetricValue): void {
  switch (type) {
    case DATA_TYPE.Boolean:
      writer.boolean(fields.boolean, value === true);
      break;
    case DATA_TYPE.Float:
      writer.float(fields.float, Number(value));
      break;
    case DATA_TYPE.Double:
      writer.double(fields.double, Number(value));
      break;
    case DATA_TYPE.Int64:
    case DATA_TYPE.UInt64:
    case DATA_TYPE.DateTime:
      writer.integer(fields.long, typeof value === 'bigint' ? value : Number(value));
      break;
    case DATA_TYPE.Int8:
    case DATA_TYPE.Int16:
    case DATA_TYPE.Int32:
    case DATA_TYPE.UInt8:
    case DATA_TYPE.UInt16:
    case DATA_TYPE.UInt32:
      // Two's complement of 32 bits.
      writer.integer(fields.int, Number(value) >>> 0);
      break;
    default:
      if (value instanceof Uint8Array && fields.bytes !== undefined) writer.bytes(fields.bytes, value);
      else writer.text(fields.text, String(value));
  }
}
