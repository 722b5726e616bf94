import type { ScanFinding } from '../../../daemon/channel/discovery.ts';
import { ILLEGAL_FUNCTION } from '../modbus-errors.ts';
import type { Table } from '../modbus-address.ts';
import { FUNCTIONS, READ_FUNCTION } from '../modbus-functions.ts';
import { findRanges } from './register-ranges.ts';
import type { EntryAnswer, TableRanges } from './register-ranges.ts';
import type { ScanClient } from './scan-client.ts';

/** A finding without what it belongs to. */
export type UnitFinding = Pick<ScanFinding, 'kind' | 'text' | 'fields'>;

interface ScannedTable {
  readonly findings: readonly UnitFinding[];
  /** What a person should know, in words that may follow a colon. */
  readonly notes: readonly string[];
}

// About ten seconds of a network device; the largest table would take five hundred.
const MAXIMUM_READS = 200;

/** Looks for the entries of a table that a unit has. */
export async function scanTable(
  client: Pick<ScanClient, 'ask'>,
  unitId: number,
  table: Table,
): Promise<ScannedTable> {
  const functionCode = READ_FUNCTION[table];
  const found = await findRanges({
    maximumQuantity: FUNCTIONS[functionCode].maximumQuantity,
    maximumReads: MAXIMUM_READS,
    read: async (offset, quantity): Promise<EntryAnswer> => {
      const answer = await client.ask({ functionCode, unitId, offset, quantity });
      if (answer.kind === 'ANSWERED')
        return { kind: 'READ', isZero: answer.bytes.every((byte) => byte === 0) };
      if (answer.kind !== 'REFUSED') return { kind: 'SILENT' };
      return { kind: answer.exceptionCode === ILLEGAL_FUNCTION ? 'NO_TABLE' : 'REFUSED' };
    },
  });
  return { findings: found.ranges.map((range) => toFinding(table, range)), notes: listNotes(found) };
}

function toFinding(table: Table, { first, last }: TableRanges['ranges'][number]): UnitFinding {
  const text = `${table} ${first === last ? first : `${first}-${last}`}`;
  return { kind: 'RANGE', text, fields: { table, first, last } };
}

function listNotes({
  ranges,
  isEverywhere,
  isAllZero,
  isCutShort,
  isSilent,
  longestRead,
}: TableRanges): readonly string[] {
  const notes: string[] = [];
  if (isEverywhere) {
    const values = isAllZero ? ', always with 0' : '';
    notes.push(`every address is answered${values}, so that nothing shows which ones mean something`);
  } else if (ranges.length > 0 && isAllZero) {
    notes.push('every value that was read is 0');
  }
  if (longestRead !== undefined) notes.push(`reads of more than ${longestRead} entries are refused`);
  if (isSilent) notes.push('addresses that do not exist are not answered, so that only some were asked');
  if (isCutShort) notes.push('ranges may be longer, and there may be more');
  return notes;
}
