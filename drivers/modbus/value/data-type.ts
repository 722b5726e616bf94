import type { ValueGroup } from '../../binary/value-group.ts';

interface DataTypeRow {
  /** Group of the type; also determines the allowed address fields. */
  readonly group: ValueGroup;
  /** Registers of one value; absent if the `length` of the address defines them. */
  readonly registers?: number;
}

// To add a type, add a row and its codec.
const ROWS = {
  BOOLEAN: { group: 'BIT', registers: 1 },
  INT8: { group: 'INTEGER', registers: 1 },
  UINT8: { group: 'INTEGER', registers: 1 },
  INT16: { group: 'INTEGER', registers: 1 },
  UINT16: { group: 'INTEGER', registers: 1 },
  INT32: { group: 'INTEGER', registers: 2 },
  UINT32: { group: 'INTEGER', registers: 2 },
  INT64: { group: 'INTEGER', registers: 4 },
  UINT64: { group: 'INTEGER', registers: 4 },
  FLOAT32: { group: 'FLOAT', registers: 2 },
  FLOAT64: { group: 'FLOAT', registers: 4 },
  BCD16: { group: 'INTEGER', registers: 1 },
  BCD32: { group: 'INTEGER', registers: 2 },
  BCD64: { group: 'INTEGER', registers: 4 },
  INT32_MOD10: { group: 'INTEGER', registers: 2 },
  INT48_MOD10: { group: 'INTEGER', registers: 3 },
  INT64_MOD10: { group: 'INTEGER', registers: 4 },
  UINT32_MOD10: { group: 'INTEGER', registers: 2 },
  UINT48_MOD10: { group: 'INTEGER', registers: 3 },
  UINT64_MOD10: { group: 'INTEGER', registers: 4 },
  INT24: { group: 'INTEGER', registers: 2 },
  UINT24: { group: 'INTEGER', registers: 2 },
  INT48: { group: 'INTEGER', registers: 3 },
  UINT48: { group: 'INTEGER', registers: 3 },
  INT16_SIGN_MAGNITUDE: { group: 'INTEGER', registers: 1 },
  INT32_SIGN_MAGNITUDE: { group: 'INTEGER', registers: 2 },
  UINT16_DIRECTION: { group: 'INTEGER', registers: 2 },
  UINT32_DIRECTION: { group: 'INTEGER', registers: 3 },
  MANTISSA24_EXPONENT8: { group: 'FLOAT', registers: 2 },
  EXPONENT8_MANTISSA24: { group: 'FLOAT', registers: 2 },
  UNIX_SECONDS32: { group: 'TIME', registers: 2 },
  UNIX_SECONDS64: { group: 'TIME', registers: 4 },
  UNIX_MILLISECONDS64: { group: 'TIME', registers: 4 },
  CP56TIME2A: { group: 'TIME', registers: 4 },
  DATE_AND_TIME: { group: 'TIME', registers: 4 },
  DTL: { group: 'TIME', registers: 6 },
  YMDHMS_BCD: { group: 'TIME', registers: 3 },
  YMDHMS_BYTES: { group: 'TIME', registers: 3 },
  YMDHMS_REGISTERS: { group: 'TIME', registers: 6 },
  STRING: { group: 'TEXT' },
  STRING_REGISTERS: { group: 'TEXT' },
  BYTES: { group: 'BYTES' },
} as const satisfies Readonly<Record<string, DataTypeRow>>;

/** Name of a register data type. */
export type DataType = keyof typeof ROWS;

/** Names of all data types. */
export const DATA_TYPES = Object.keys(ROWS) as readonly DataType[];

/** Types whose bits can form a number of their own. */
export const FIELD_TYPES: readonly DataType[] = ['INT16', 'UINT16', 'INT32', 'UINT32'];

/** Returns the group of a type. */
export function groupOf(dataType: DataType): ValueGroup {
  return ROWS[dataType].group;
}

/**
 * Counts the registers of one value.
 *
 * @param lengthBytes length for types without a fixed size
 */
export function countRegisters(dataType: DataType, lengthBytes: number): number {
  const row: DataTypeRow = ROWS[dataType];
  // Its registers hold one byte each.
  if (dataType === 'STRING_REGISTERS') return lengthBytes;
  return row.registers ?? Math.ceil(lengthBytes / 2);
}

/** True if the value has several registers, whose order differs between devices. */
export function hasWordOrder(dataType: DataType): boolean {
  const row: DataTypeRow = ROWS[dataType];
  return row.registers !== undefined && row.registers > 1;
}
