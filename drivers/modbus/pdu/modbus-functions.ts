import { isBitTable } from '../modbus-address.ts';
import type { Table } from '../modbus-address.ts';
import { toFileRecord } from './register-pdu.ts';
import type { ModbusRequest, ReadRequest, WriteRequest, LineRequest } from './request.ts';

/** Table entries that a request of one function covers. */
export interface EntryRange {
  readonly functionCode: FunctionCode;
  readonly offset: number;
  readonly quantity: number;
}

export type FunctionCode = ModbusRequest['functionCode'];
type ReadFunctionCode = ReadRequest['functionCode'];

interface FunctionBase<R extends ModbusRequest> {
  /** Name in the standard. */
  readonly name: string;
  /** Table that the function reads or writes. */
  readonly table: Table;
  /** Maximum entries of one request. */
  readonly maximumQuantity: number;
  /** Counts the entries that a request covers. */
  countEntries(request: R): number;
}

interface ReadFunction extends FunctionBase<ReadRequest> {
  readonly access: 'READ';
}

export interface WriteFunction<R extends WriteRequest = WriteRequest> extends FunctionBase<R> {
  readonly access: 'WRITE';
  /** Returns the 16-bit words of the request that the response repeats after the function code. */
  echo(request: R): readonly number[];
  /** True if these words are the whole request, so that the response equals the request. */
  readonly echoesAll: boolean;
}

type FunctionOf<Code extends FunctionCode> = Code extends ReadFunctionCode
  ? ReadFunction
  : WriteFunction<Extract<WriteRequest, { readonly functionCode: Code }>>;

/** Functions that the driver uses, one row each (MODBUS Application Protocol V1.1b3, 6). */
export const FUNCTIONS: { readonly [Code in FunctionCode]: FunctionOf<Code> } = {
  1: createRead('Read Coils', 'COILS', 2000),
  2: createRead('Read Discrete Inputs', 'DISCRETE_INPUTS', 2000),
  3: createRead('Read Holding Registers', 'HOLDING_REGISTERS', 125),
  4: createRead('Read Input Registers', 'INPUT_REGISTERS', 125),
  5: {
    name: 'Write Single Coil',
    access: 'WRITE',
    table: 'COILS',
    maximumQuantity: 1,
    countEntries: () => 1,
    echo: ({ offset, state }) => [offset, state ? 0xff00 : 0],
    echoesAll: true,
  },
  6: {
    name: 'Write Single Register',
    access: 'WRITE',
    table: 'HOLDING_REGISTERS',
    maximumQuantity: 1,
    countEntries: () => 1,
    echo: ({ offset, register }) => [offset, register],
    echoesAll: true,
  },
  15: {
    name: 'Write Multiple Coils',
    access: 'WRITE',
    table: 'COILS',
    maximumQuantity: 1968,
    countEntries: ({ states }) => states.length,
    echo: ({ offset, states }) => [offset, states.length],
    echoesAll: false,
  },
  16: {
    name: 'Write Multiple Registers',
    access: 'WRITE',
    table: 'HOLDING_REGISTERS',
    maximumQuantity: 123,
    countEntries: ({ registers }) => registers.length / 2,
    echo: ({ offset, registers }) => [offset, registers.length / 2],
    echoesAll: false,
  },
  20: createRead('Read File Record', 'FILE_RECORDS', 124),
  22: {
    name: 'Mask Write Register',
    access: 'WRITE',
    table: 'HOLDING_REGISTERS',
    maximumQuantity: 1,
    countEntries: () => 1,
    echo: ({ offset, andMask, orMask }) => [offset, andMask, orMask],
    echoesAll: true,
  },
};

/** Function code that reads a table. */
export const READ_FUNCTION: Readonly<Record<Table, ReadFunctionCode>> = {
  COILS: 1,
  DISCRETE_INPUTS: 2,
  HOLDING_REGISTERS: 3,
  INPUT_REGISTERS: 4,
  FILE_RECORDS: 20,
};

/** True if a request reads. */
export function isRead(request: ModbusRequest): request is ReadRequest {
  return FUNCTIONS[request.functionCode].access === 'READ';
}

/** Counts the entries that a request covers. */
export function countRequestEntries(request: ModbusRequest): number {
  const row: FunctionBase<ModbusRequest> = FUNCTIONS[request.functionCode];
  return row.countEntries(request);
}

/**
 * Returns the smallest read that shows whether the unit of a request is present again.
 *
 * Any response will do, even an exception, and the device does not change.
 */
export function toProbe({ unitId, offset, functionCode }: ModbusRequest): ReadRequest {
  return { functionCode: READ_FUNCTION[FUNCTIONS[functionCode].table], unitId, offset, quantity: 1 };
}

/** Counts the bytes of table entries in a PDU: eight bits per byte, two bytes per register. */
export function countEntryBytes(table: Table, quantity: number): number {
  return isBitTable(table) ? Math.ceil(quantity / 8) : 2 * quantity;
}

function createRead(name: string, table: Table, maximumQuantity: number): ReadFunction {
  return { name, access: 'READ', table, maximumQuantity, countEntries: ({ quantity }) => quantity };
}

/** Returns the entries that a request covers. */
export function rangeOf(request: ModbusRequest): EntryRange {
  const { functionCode, offset } = request;
  return { functionCode, offset, quantity: countRequestEntries(request) };
}

/** Formats a range for operators: `HOLDING_REGISTERS 100-109`, or `FILE_RECORDS file 4, 0-9`. */
export function describeRange({ functionCode, offset, quantity }: EntryRange): string {
  return describeEntries({ table: FUNCTIONS[functionCode].table, offset, quantity });
}

/** Formats table entries like `describeRange`. */
export function describeEntries(entries: TableEntries): string {
  const { table, file, range } = locateEntries(entries);
  return file === undefined ? `${table} ${range}` : `${table} file ${file}, ${range}`;
}

interface TableEntries {
  readonly table: Table;
  readonly offset: number;
  readonly quantity: number;
}

/** Returns the place of table entries as `describeEntries` shows it; the file of records alone. */
export function locateEntries({ table, offset: place, quantity }: TableEntries): {
  readonly table: Table;
  readonly range: string;
  readonly file?: number;
} {
  const { file, record } = toFileRecord(place);
  const offset = table === 'FILE_RECORDS' ? record : place;
  const range = quantity === 1 ? `${offset}` : `${offset}-${offset + quantity - 1}`;
  return table === 'FILE_RECORDS' ? { table, range, file } : { table, range };
}

/** True if the function changes values in the device. */
export function isWrite({ functionCode }: Pick<LineRequest, 'functionCode'>): boolean {
  return functionCode !== 43 && FUNCTIONS[functionCode].access === 'WRITE';
}

/** True if `outer` covers all entries of `inner` with the same function. */
export function contains(outer: EntryRange, inner: EntryRange): boolean {
  return (
    outer.functionCode === inner.functionCode &&
    outer.offset <= inner.offset &&
    inner.offset + inner.quantity <= outer.offset + outer.quantity
  );
}

/** True if both are the same entries with the same function. */
export function isSameRange(a: EntryRange, b: EntryRange): boolean {
  return a.functionCode === b.functionCode && a.offset === b.offset && a.quantity === b.quantity;
}

/** True if both cover a common entry of the same table, with any functions. */
export function overlaps(a: EntryRange, b: EntryRange): boolean {
  if (FUNCTIONS[a.functionCode].table !== FUNCTIONS[b.functionCode].table) return false;
  return a.offset < b.offset + b.quantity && b.offset < a.offset + a.quantity;
}
