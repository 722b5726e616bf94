import { groupOf } from './data-type.ts';
import type { DataType } from './data-type.ts';

/** The fields of an address that can contradict each other. */
interface Fields {
  readonly table: string;
  readonly offset: number;
  readonly dataType?: DataType | undefined;
  readonly bit?: number | undefined;
  readonly length?: number | undefined;
  readonly count?: number | undefined;
  readonly encoding?: unknown;
  readonly padding?: unknown;
  readonly trim?: unknown;
  readonly timeZone?: unknown;
}

/** A field that contradicts the others, and why. */
type Contradiction = readonly [field: keyof Fields, message: string];

const ADDRESS_SPACE = 65_536;
const TEXT_FIELDS = ['encoding', 'padding', 'trim'] as const;

/**
 * Returns the fields of an address that contradict each other.
 *
 * @param entries of the table that the address spans
 */
export function findContradictions(address: Fields, entries: number): readonly Contradiction[] {
  const { table } = address;
  const isBitTable = table === 'COILS' || table === 'DISCRETE_INPUTS';
  return [
    ...(isBitTable ? findBitTableFaults(address, table) : findRegisterFaults(address, table)),
    ...findLengthFaults(address),
    ...findForeignFields(address),
    ...findEndFaults(address, entries),
  ];
}

function findBitTableFaults({ dataType, bit }: Fields, table: string): readonly Contradiction[] {
  const faults: Contradiction[] = [];
  if (dataType !== undefined && dataType !== 'BOOLEAN') {
    faults.push(['dataType', `${table} holds single bits; expected BOOLEAN, or no dataType`]);
  }
  if (bit !== undefined) faults.push(['bit', `only registers have bits; ${table} is addressed by offset`]);
  return faults;
}

function findRegisterFaults({ dataType, bit }: Fields, table: string): readonly Contradiction[] {
  if (dataType === undefined) {
    return [['dataType', `is missing; expected what the registers of ${table} hold`]];
  }
  if (dataType === 'BOOLEAN') {
    return bit === undefined ? [['bit', 'is missing; a BOOLEAN in a register needs its bit, 0..15']] : [];
  }
  return bit === undefined ? [] : [['bit', `only BOOLEAN has a bit, not ${dataType}`]];
}

function findLengthFaults({ dataType, length }: Fields): readonly Contradiction[] {
  const takesLength = dataType === 'STRING' || dataType === 'BYTES';
  if (takesLength && length === undefined) {
    return [['length', `is missing; ${dataType} needs its length in bytes`]];
  }
  return takesLength || length === undefined ? [] : [['length', 'only STRING and BYTES have a length']];
}

function findForeignFields(address: Fields): readonly Contradiction[] {
  const { dataType = 'BOOLEAN', count, timeZone } = address;
  const faults: Contradiction[] = [];
  for (const field of TEXT_FIELDS) {
    if (address[field] !== undefined && dataType !== 'STRING') {
      faults.push([field, `only STRING has it, not ${dataType}`]);
    }
  }
  if (timeZone !== undefined && groupOf(dataType) !== 'TIME') {
    faults.push(['timeZone', `only times have a time zone, not ${dataType}`]);
  }
  if (count !== undefined && dataType === 'BYTES') {
    faults.push(['count', 'BYTES are one value; expected their length alone']);
  }
  return faults;
}

function findEndFaults({ offset, count }: Fields, entries: number): readonly Contradiction[] {
  const last = offset + entries - 1;
  // An offset that is out of range itself has its own error.
  if (offset >= ADDRESS_SPACE || last < ADDRESS_SPACE) return [];
  const what = count === undefined ? 'the value' : `the array of ${count}`;
  return [['offset', `${what} would end at ${last}; the last address of a table is 65535`]];
}
