import { z } from '../../daemon/base/schema.ts';

/** The four tables of the Modbus data model (MODBUS Application Protocol V1.1b3, 4.3). */
const TABLES = ['COILS', 'DISCRETE_INPUTS', 'INPUT_REGISTERS', 'HOLDING_REGISTERS'] as const;
export type Table = (typeof TABLES)[number];

/** Types of the values that registers hold. */
const DATA_TYPES = [
  'BOOLEAN',
  'INT8',
  'UINT8',
  'INT16',
  'UINT16',
  'INT32',
  'UINT32',
  'INT64',
  'UINT64',
  'FLOAT32',
  'FLOAT64',
  'STRING',
  'BYTES',
] as const;
export type DataType = (typeof DATA_TYPES)[number];

const ORDERS = ['BIG_ENDIAN', 'LITTLE_ENDIAN'] as const;
export type Order = (typeof ORDERS)[number];

/** Which function codes write: 5 and 6, or 15 and 16. */
export const writeFunctionField = z.enum(['AUTO', 'SINGLE', 'MULTIPLE']);
export const joinWritesField = z.boolean();

/** Bytes of text or bytes that one read request can bring: 125 registers of two bytes. */
const MAXIMUM_LENGTH_BYTES = 250;
const ADDRESS_SPACE = 65_536;

const REGISTERS_OF: Readonly<Record<Exclude<DataType, 'STRING' | 'BYTES'>, number>> = {
  BOOLEAN: 1,
  INT8: 1,
  UINT8: 1,
  INT16: 1,
  UINT16: 1,
  INT32: 2,
  UINT32: 2,
  INT64: 4,
  UINT64: 4,
  FLOAT32: 2,
  FLOAT64: 4,
};

const fieldsSchema = z.strictObject({
  unitId: z
    .int()
    .min(0)
    .max(255)
    .default(1)
    .describe(
      'Unit identifier; over TCP 0 and 255 mean the device itself, on serial lines 0 means all units',
    ),
  table: z.enum(TABLES).describe('Table of the Modbus data model'),
  offset: z
    .int()
    .min(0)
    .max(65_535)
    .describe('Protocol address, counted from 0: 40001 in manuals is offset 0'),
  dataType: z
    .enum(DATA_TYPES)
    .optional()
    .describe('What the registers hold; may be left out for COILS and DISCRETE_INPUTS, which hold BOOLEAN'),
  byteOrder: z
    .enum(ORDERS)
    .default('BIG_ENDIAN')
    .describe('Order of the two bytes of each register; LITTLE_ENDIAN swaps them'),
  wordOrder: z
    .enum(ORDERS)
    .default('BIG_ENDIAN')
    .describe('Order of the registers of a number; LITTLE_ENDIAN has the low word first'),
  bit: z
    .int()
    .min(0)
    .max(15)
    .optional()
    .describe('For BOOLEAN in a register: the bit, 0 is the least significant'),
  length: z
    .int()
    .min(1)
    .max(MAXIMUM_LENGTH_BYTES)
    .optional()
    .describe('For STRING and BYTES: length in bytes; two bytes fill one register, a STRING is UTF-8'),
  writeFunction: writeFunctionField
    .optional()
    .describe('Function codes that write the channel; those of its unit unless given'),
  joinWrites: joinWritesField
    .optional()
    .describe(
      'Whether the channel shares requests with neighbours of the same write; as its unit unless given',
    ),
});

/** Where a channel lies in a Modbus device, and in which form. */
export type ModbusAddress = Readonly<z.infer<typeof fieldsSchema>>;

/** The schema of one address; refuses fields that contradict each other. */
export const addressSchema = fieldsSchema.superRefine((address, context) => {
  for (const [field, message] of findContradictions(address)) {
    context.addIssue({ code: 'custom', path: [field], message });
  }
});

/** Whether the table holds single bits. */
export function isBitTable(table: Table): boolean {
  return table === 'COILS' || table === 'DISCRETE_INPUTS';
}

/** Whether clients may write to the table. */
export function isWritableTable(table: Table): boolean {
  return table === 'COILS' || table === 'HOLDING_REGISTERS';
}

/** Returns the type of the value at the address: its `dataType`, or BOOLEAN where a bit table leaves it out. */
export function dataTypeOf({ dataType }: ModbusAddress): DataType {
  return dataType ?? 'BOOLEAN';
}

/** Counts the table entries that the address spans: bits in a bit table, registers elsewhere. */
export function countEntries(address: ModbusAddress): number {
  const dataType = dataTypeOf(address);
  if (dataType === 'STRING' || dataType === 'BYTES') return Math.ceil((address.length ?? 1) / 2);
  return REGISTERS_OF[dataType];
}

function findContradictions(address: ModbusAddress): readonly (readonly [keyof ModbusAddress, string])[] {
  const { table, dataType, bit, length, offset } = address;
  const faults: (readonly [keyof ModbusAddress, string])[] = [];
  const takesLength = dataType === 'STRING' || dataType === 'BYTES';
  if (isBitTable(table)) {
    if (dataType !== undefined && dataType !== 'BOOLEAN') {
      faults.push(['dataType', `${table} holds single bits; expected BOOLEAN, or no dataType`]);
    }
    if (bit !== undefined) faults.push(['bit', `only registers have bits; ${table} is addressed by offset`]);
  } else if (dataType === undefined) {
    faults.push(['dataType', `is missing; expected what the registers of ${table} hold`]);
  } else if (dataType === 'BOOLEAN') {
    if (bit === undefined) faults.push(['bit', 'is missing; a BOOLEAN in a register needs its bit, 0..15']);
  } else if (bit !== undefined) {
    faults.push(['bit', `only BOOLEAN has a bit, not ${dataType}`]);
  }
  if (takesLength && length === undefined) {
    faults.push(['length', `is missing; ${dataType} needs its length in bytes`]);
  }
  if (!takesLength && length !== undefined) {
    faults.push(['length', 'only STRING and BYTES have a length']);
  }
  const last = offset + countEntries(address) - 1;
  // An offset that is out of range itself has its own error.
  if (offset < ADDRESS_SPACE && last >= ADDRESS_SPACE) {
    faults.push(['offset', `the value would end at ${last}; the last address of a table is 65535`]);
  }
  return faults;
}
