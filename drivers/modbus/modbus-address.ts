import { createIssue, createReason, sayReason } from '../../daemon/base/fault-reason.ts';
import { MODBUS_FAULTS } from './fault-sentences.ts';
import { BINARY_FAULTS } from '../binary/fault-sentences.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { z } from '../../daemon/base/schema.ts';
import { ENCODINGS } from '../binary/text-encoding.ts';
import { isTimeZone } from '../binary/time-zone.ts';
import { countRegisters, DATA_TYPES, FIELD_TYPES, groupOf } from './value/data-type.ts';
import { toRecordOffset } from './pdu/register-pdu.ts';
import type { DataType } from './value/data-type.ts';

/** Address fields that can contradict each other. */
interface Fields {
  readonly table: Table;
  readonly file?: number | undefined;
  readonly offset: number;
  readonly dataType?: DataType | undefined;
  readonly bit?: number | undefined;
  readonly bits?: { readonly from: number; readonly count: number } | undefined;
  readonly length?: number | undefined;
  readonly count?: number | undefined;
  readonly encoding?: unknown;
  readonly padding?: unknown;
  readonly trim?: unknown;
  readonly timeZone?: unknown;
}

/** A field that contradicts others, and the reason. */
type Contradiction = readonly [field: keyof Fields, reason: FaultReason];

const ADDRESS_SPACE = 65_536;
// MODBUS Application Protocol V1.1b3, 6.14: records 0 to 270F hexadecimal, 124 of them in one response.
const LAST_RECORD = 9999;
export const MAXIMUM_RECORDS = 124;
const TEXT_FIELDS = ['encoding', 'padding', 'trim'] as const;

/** Tables of the Modbus data model (MODBUS Application Protocol V1.1b3, 4.3). */
export const DATA_TABLES = ['COILS', 'DISCRETE_INPUTS', 'INPUT_REGISTERS', 'HOLDING_REGISTERS'] as const;

/** Tables, and the records of files, which are read with function code 20 (6.14). */
const TABLES = [...DATA_TABLES, 'FILE_RECORDS'] as const;
export type Table = (typeof TABLES)[number];

const ORDERS = ['BIG_ENDIAN', 'LITTLE_ENDIAN'] as const;
export type Order = (typeof ORDERS)[number];

/** Function codes of writes: 5 and 6, or 15 and 16. */
export const writeFunctionField = z.enum(['AUTO', 'SINGLE', 'MULTIPLE']);
export const joinWritesField = z.boolean();

/** Maximum bytes that one read request returns: 125 registers of two bytes. */
const MAXIMUM_LENGTH_BYTES = 250;

/** Maximum elements of an array: the bits of one request, or the registers of sixteen. */
const MAXIMUM_COUNT = 2000;

/** Fill character of a text that is shorter than its registers. */
const PADDINGS = ['NUL', 'SPACE'] as const;
export type Padding = (typeof PADDINGS)[number];

const fieldsSchema = z.strictObject({
  unitId: z
    .int()
    .min(0)
    .max(255)
    .default(1)
    .describe('Unit identifier; over TCP 0 and 255 are the device itself, on serial lines 0 is a broadcast'),
  table: z.enum(TABLES).describe('Table of the Modbus data model, or FILE_RECORDS'),
  file: z.int().min(1).max(65_535).optional().describe('For FILE_RECORDS: number of the file'),
  offset: z
    .int()
    .min(0)
    .max(65_535)
    .describe(
      'Protocol address, counted from 0: 40001 in manuals is offset 0; in FILE_RECORDS the record number',
    ),
  dataType: z
    .enum(DATA_TYPES)
    .optional()
    .describe('Type of the value; optional for COILS and DISCRETE_INPUTS, which are BOOLEAN'),
  byteOrder: z
    .enum(ORDERS)
    .default('BIG_ENDIAN')
    .describe('Order of the two bytes of each register; LITTLE_ENDIAN swaps them'),
  wordOrder: z
    .enum(ORDERS)
    .default('BIG_ENDIAN')
    .describe('Order of the registers of a number or time; LITTLE_ENDIAN puts the low word first'),
  bit: z
    .int()
    .min(0)
    .max(15)
    .optional()
    .describe(
      'For BOOLEAN in a register: bit number, 0 is the least significant; of an array, its first bit',
    ),
  bits: z
    .strictObject({
      from: z
        .int()
        .min(0)
        .max(31)
        .describe('Least significant bit of the number; 0 is that of the registers'),
      count: z.int().min(1).max(32).describe('Number of bits'),
    })
    .optional()
    .describe('For integers of one or two registers: bits that form a number of their own'),
  length: z
    .int()
    .min(1)
    .max(MAXIMUM_LENGTH_BYTES)
    .optional()
    .describe('For STRING and BYTES: length in bytes, two per register'),
  count: z
    .int()
    .min(1)
    .max(MAXIMUM_COUNT)
    .optional()
    .describe('For an array: number of consecutive elements; the value is a JSON array as text'),
  encoding: z.enum(ENCODINGS).optional().describe('For STRING: character encoding; default: utf-8'),
  padding: z.enum(PADDINGS).optional().describe('For STRING: fill character on writes; default: NUL'),
  trim: z
    .boolean()
    .optional()
    .describe('For STRING: remove trailing spaces on reads; default: true with padding SPACE'),
  timeZone: z
    .string()
    .refine(isTimeZone, sayReason(createReason(BINARY_FAULTS, 'EXPECTED_TIME_ZONE', {})))
    .optional()
    .describe('For times: time zone of the device clock; default: UTC'),
  writeFunction: writeFunctionField
    .optional()
    .describe('Function codes that write the channel; default: those of the unit'),
  joinWrites: joinWritesField
    .optional()
    .describe('Write the channel in one request with adjacent values; default: as the unit'),
});

/** Location and encoding of a value in a Modbus device. */
export type ModbusAddress = Readonly<z.infer<typeof fieldsSchema>>;

/** Schema of an address; rejects fields that contradict each other. */
export const addressSchema = fieldsSchema.superRefine((address, context) => {
  for (const [field, reason] of findContradictions(address, countEntries(address)))
    context.addIssue(createIssue([field], reason));
});

/** True if the table holds single bits. */
export function isBitTable(table: Table): boolean {
  return table === 'COILS' || table === 'DISCRETE_INPUTS';
}

/** True if clients may write to the table. */
export function isWritableTable(table: Table): boolean {
  return table === 'COILS' || table === 'HOLDING_REGISTERS';
}

/** Returns the data type at the address; BOOLEAN if a bit table omits `dataType`. */
export function dataTypeOf({ dataType }: ModbusAddress): DataType {
  return dataType ?? 'BOOLEAN';
}

/** Counts the table entries that the address spans: bits in a bit table, registers otherwise. */
export function countEntries(address: ModbusAddress): number {
  const { table, bit = 0, count = 1 } = address;
  if (isBitTable(table)) return count;
  // The bits of an array continue in the next register.
  return isBoolean(address) ? Math.ceil((bit + count) / 16) : count * countElementEntries(address);
}

/** Returns the offset of the value in requests: those of file records contain the file. */
export function locate({
  table,
  file = 0,
  offset,
}: Pick<ModbusAddress, 'table' | 'file' | 'offset'>): number {
  return table === 'FILE_RECORDS' ? toRecordOffset(file, offset) : offset;
}

/** Counts the table entries of one element, or of the whole value without `count`. */
export function countElementEntries(address: ModbusAddress): number {
  return isBitTable(address.table) ? 1 : countRegisters(dataTypeOf(address), address.length ?? 1);
}

function isBoolean(address: ModbusAddress): boolean {
  return dataTypeOf(address) === 'BOOLEAN';
}

/**
 * Returns the address fields that contradict each other.
 *
 * @param entries number of table entries that the address spans
 */
function findContradictions(address: Fields, entries: number): readonly Contradiction[] {
  return [
    ...(isBitTable(address.table) ? findBitTableFaults(address) : findRegisterFaults(address)),
    ...findLengthFaults(address),
    ...findFieldFaults(address),
    ...findForeignFields(address),
    ...findFileFaults(address, entries),
    ...findEndFaults(address, entries),
  ];
}

function findBitTableFaults({ dataType, bit, table }: Fields): readonly Contradiction[] {
  const faults: Contradiction[] = [];
  if (dataType !== undefined && dataType !== 'BOOLEAN') {
    faults.push(['dataType', createReason(MODBUS_FAULTS, 'BITS_ONLY_BOOLEAN', { table })]);
  }
  if (bit !== undefined) faults.push(['bit', createReason(MODBUS_FAULTS, 'BITS_WITHOUT_BIT', { table })]);
  return faults;
}

function findRegisterFaults({ dataType, bit, table }: Fields): readonly Contradiction[] {
  if (dataType === undefined) {
    return [['dataType', createReason(MODBUS_FAULTS, 'DATA_TYPE_MISSING', { table })]];
  }
  if (dataType === 'BOOLEAN') {
    return bit === undefined ? [['bit', createReason(MODBUS_FAULTS, 'BIT_MISSING', {})]] : [];
  }
  return bit === undefined
    ? []
    : [['bit', createReason(MODBUS_FAULTS, 'BIT_ONLY_OF_BOOLEAN', { type: dataType })]];
}

function findLengthFaults({ dataType, length }: Fields): readonly Contradiction[] {
  const takesLength = dataType !== undefined && (groupOf(dataType) === 'TEXT' || dataType === 'BYTES');
  if (takesLength && length === undefined) {
    return [['length', createReason(MODBUS_FAULTS, 'LENGTH_MISSING', { type: dataType })]];
  }
  if (dataType === 'STRING_REGISTERS' && length !== undefined && length > MAXIMUM_LENGTH_BYTES / 2) {
    return [['length', createReason(MODBUS_FAULTS, 'TEXT_TOO_LONG', { bound: MAXIMUM_LENGTH_BYTES / 2 })]];
  }
  return takesLength || length === undefined
    ? []
    : [['length', createReason(BINARY_FAULTS, 'LENGTH_ONLY_OF_TEXT', {})]];
}

function findFieldFaults({ dataType = 'BOOLEAN', bits, count }: Fields): readonly Contradiction[] {
  if (bits === undefined) return [];
  if (!FIELD_TYPES.includes(dataType))
    return [
      [
        'bits',
        createReason(MODBUS_FAULTS, 'BITS_ONLY_OF_INTEGERS', { integers: FIELD_TYPES, type: dataType }),
      ],
    ];
  if (count !== undefined) return [['count', createReason(MODBUS_FAULTS, 'BITS_WITH_COUNT', {})]];
  const available = 16 * countRegisters(dataType, 1);
  const end = bits.from + bits.count;
  if (end <= available) return [];
  const values = { last: end - 1, type: dataType, bound: available - 1 };
  return [['bits', createReason(MODBUS_FAULTS, 'BITS_BEYOND_TYPE', values)]];
}

function findForeignFields(address: Fields): readonly Contradiction[] {
  const { dataType = 'BOOLEAN', count, timeZone } = address;
  const faults: Contradiction[] = [];
  for (const field of TEXT_FIELDS) {
    if (address[field] !== undefined && groupOf(dataType) !== 'TEXT') {
      faults.push([field, createReason(BINARY_FAULTS, 'ONLY_OF_STRING', { type: dataType })]);
    }
  }
  if (timeZone !== undefined && groupOf(dataType) !== 'TIME') {
    faults.push(['timeZone', createReason(BINARY_FAULTS, 'TIME_ZONE_ONLY_OF_TIMES', { type: dataType })]);
  }
  if (count !== undefined && dataType === 'BYTES') {
    faults.push(['count', createReason(BINARY_FAULTS, 'BYTES_WITHOUT_COUNT', {})]);
  }
  return faults;
}

function findFileFaults({ table, file, offset }: Fields, entries: number): readonly Contradiction[] {
  if (table !== 'FILE_RECORDS') {
    return file === undefined
      ? []
      : [['file', createReason(MODBUS_FAULTS, 'FILE_ONLY_OF_RECORDS', { table })]];
  }
  if (file === undefined) return [['file', createReason(MODBUS_FAULTS, 'FILE_MISSING', {})]];
  const last = offset + entries - 1;
  if (last > LAST_RECORD)
    return [['offset', createReason(MODBUS_FAULTS, 'RECORD_BEYOND_LAST', { last, bound: LAST_RECORD })]];
  if (entries <= MAXIMUM_RECORDS) return [];
  return [['length', createReason(MODBUS_FAULTS, 'RECORDS_TOO_LONG', { bound: 2 * MAXIMUM_RECORDS })]];
}

function findEndFaults({ offset, count }: Fields, entries: number): readonly Contradiction[] {
  const last = offset + entries - 1;
  // An offset that is itself out of range has its own error.
  if (offset >= ADDRESS_SPACE || last < ADDRESS_SPACE) return [];
  const bound = ADDRESS_SPACE - 1;
  const reason =
    count === undefined
      ? createReason(MODBUS_FAULTS, 'VALUE_BEYOND_TABLE', { last, bound })
      : createReason(MODBUS_FAULTS, 'ARRAY_BEYOND_TABLE', { count, last, bound });
  return [['offset', reason]];
}
