import type { DataSet, Metric, Payload, PropertyValue, ValueFields } from './session.ts';

/** Numbers of Sparkplug's datatypes by name. */
export const DATATYPE = {
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
  File: 18,
  Template: 19,
  PropertySet: 20,
  PropertySetList: 21,
  StringArray: 33,
  DateTimeArray: 34,
} as const;

const LAST_BASIC = DATATYPE.Text;
const LAST = DATATYPE.DateTimeArray;
const FIRST_ARRAY = 22;
const VALUE_FIELDS = [
  'intValue',
  'longValue',
  'floatValue',
  'doubleValue',
  'booleanValue',
  'stringValue',
  'bytesValue',
] as const;
const METRIC_FIELDS = [...VALUE_FIELDS, 'datasetValue', 'templateValue'] as const;

/** True if a number is one of the datatypes of metrics. */
export function isDatatype(datatype: number | undefined): boolean {
  return datatype !== undefined && Number.isInteger(datatype) && datatype >= 1 && datatype <= LAST;
}

/** True if a number is one of the basic datatypes, those of the columns of a table. */
export function isBasicDatatype(datatype: number | undefined): boolean {
  return isDatatype(datatype) && (datatype ?? 0) <= LAST_BASIC;
}

/** True if a number is one of the datatypes of properties. */
export function isPropertyDatatype(datatype: number | undefined): boolean {
  return (
    isBasicDatatype(datatype) || datatype === DATATYPE.PropertySet || datatype === DATATYPE.PropertySetList
  );
}

/** Returns the field that holds values of a datatype. */
export function fieldOf(datatype: number): (typeof METRIC_FIELDS)[number] {
  if (datatype === DATATYPE.DataSet) return 'datasetValue';
  if (datatype === DATATYPE.Template) return 'templateValue';
  if (datatype >= FIRST_ARRAY || datatype === DATATYPE.Bytes || datatype === DATATYPE.File)
    return 'bytesValue';
  if (datatype === DATATYPE.Float) return 'floatValue';
  if (datatype === DATATYPE.Double) return 'doubleValue';
  if (datatype === DATATYPE.Boolean) return 'booleanValue';
  if ([DATATYPE.String, DATATYPE.Text, DATATYPE.UUID].some((each) => each === datatype)) return 'stringValue';
  if ([DATATYPE.Int64, DATATYPE.UInt64, DATATYPE.DateTime].some((each) => each === datatype))
    return 'longValue';
  return 'intValue';
}

/** Lists the fields of a metric that hold a value. */
export function fieldsOf(metric: Metric): readonly string[] {
  return METRIC_FIELDS.filter((field) => metric[field] !== undefined);
}

/** Lists the fields of a property or an element of a table that hold a value. */
export function valueFieldsOf(value: ValueFields): readonly string[] {
  return VALUE_FIELDS.filter((field) => value[field] !== undefined);
}

/** True if a metric has exactly the value of its datatype, or is null and has none. */
export function holdsOneValue(metric: Metric, datatype: number): boolean {
  const fields = fieldsOf(metric);
  return metric.isNull === true
    ? fields.length === 0
    : fields.length === 1 && fields[0] === fieldOf(datatype);
}

/** Returns the value of a metric as text; equal texts are equal values. */
export function describeValue(metric: Metric): string {
  return JSON.stringify([metric.isNull ?? false, METRIC_FIELDS.map((field) => metric[field] ?? null)]);
}

/** Finds a metric by its name. */
export function findMetric(payload: Payload | undefined, name: string): Metric | undefined {
  return payload?.metrics?.find((metric) => metric.name === name);
}

/** Returns the value of bdSeq; undefined: there is none, or it has another datatype. */
export function bdSeqOf(payload: Payload | undefined): number | undefined {
  const metric = findMetric(payload, 'bdSeq');
  if (metric?.datatype !== DATATYPE.Int64 || metric.longValue === undefined) return undefined;
  return Number(metric.longValue);
}

/** Lists the properties of a metric by their keys. */
export function propertiesOf({
  properties,
}: Metric): readonly (readonly [key: string, value: PropertyValue | undefined])[] {
  return (properties?.keys ?? []).map((key, index) => [key, properties?.values?.[index]] as const);
}

/** Lists the elements of a table. */
export function elementsOf({ rows = [] }: DataSet): readonly ValueFields[] {
  return rows.flatMap(({ elements = [] }) => elements);
}
