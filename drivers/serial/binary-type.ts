/** Groups of the data types of a binary response. */
const ROWS = {
  INT8: 'INTEGER',
  UINT8: 'INTEGER',
  INT16: 'INTEGER',
  UINT16: 'INTEGER',
  INT32: 'INTEGER',
  UINT32: 'INTEGER',
  INT64: 'INTEGER',
  UINT64: 'INTEGER',
  FLOAT32: 'FLOAT',
  FLOAT64: 'FLOAT',
  BCD16: 'DECIMAL',
  BCD24: 'DECIMAL',
  BCD32: 'DECIMAL',
  BCD64: 'DECIMAL',
  UNIX_SECONDS32: 'TIME',
  UNIX_SECONDS64: 'TIME',
  UNIX_MILLISECONDS64: 'TIME',
  CP56TIME2A: 'TIME',
  DATE_AND_TIME: 'TIME',
  YMDHMS_BCD: 'TIME',
  YMDHMS_BYTES: 'TIME',
  STRING: 'TEXT',
  BYTES: 'BYTES',
} as const;

/** Name of a data type of a binary response. */
export type DataType = keyof typeof ROWS;

type OfGroup<Group> = { [Name in DataType]: (typeof ROWS)[Name] extends Group ? Name : never }[DataType];
/** Names of the binary number types. */
export type NumberType = OfGroup<'INTEGER' | 'FLOAT'>;
/** Names of the time layouts. */
export type SerialTimeType = OfGroup<'TIME'>;

/** Names of all data types. */
export const DATA_TYPES = Object.keys(ROWS) as readonly DataType[];

/** Returns the group of a type. */
export function groupOf<Name extends DataType>(dataType: Name): (typeof ROWS)[Name] {
  return ROWS[dataType];
}

/** True if the type is a time. */
export function isTime(dataType: DataType): dataType is SerialTimeType {
  return ROWS[dataType] === 'TIME';
}
