import { createFault, createReason } from '../../../base/fault-reason.ts';
import { SHEET_FAULTS } from './fault-sentences.ts';
import { DocumentError } from '../../../base/document-error.ts';
import type { DocumentFault } from '../../../base/document-error.ts';
import type { JsonSchema } from '../../../configuration/document-schema.ts';
import { isDocument } from '../../../configuration/managed-document.ts';
import type { Slices } from '../../../base/slices.ts';
import { findListSeparator, formatCsv, parseCsvInSlices } from '../../../base/text/csv.ts';
import type { CsvRow, ListSeparator } from '../../../base/text/csv.ts';
import { formatCell, listColumns, parseCell, toCells } from './tag-sheet-cell.ts';
import type { SheetColumn } from './tag-sheet-cell.ts';

/** The channels that a tag sheet describes, and the row of each. */
export interface TagSheet {
  readonly channels: readonly unknown[];
  /** Numbers of the rows, in the order of the channels. */
  readonly rows: readonly number[];
}

// More errors are of no use to the client.
const MAXIMUM_FAULTS = 1000;

const NO_TYPES: ReadonlySet<string> = new Set();

/**
 * Writes channels as a table with one row each; `parseTagSheet` returns exactly the same channels.
 *
 * @param channels as they are set, without the defaults
 * @param schema of one channel; each of its fields is a column, also when no channel has it
 */
export function* formatTagSheet(channels: readonly unknown[], schema: JsonSchema): Slices<string> {
  const known = listColumns(schema);
  const columns = new Map(known.map(({ name, types }) => [name, types]));
  const whole = new Set(known.flatMap(({ name, types }) => (types.has('object') ? [name] : [])));
  const rows: ReadonlyMap<string, unknown>[] = [];
  for (const channel of channels) {
    const row = new Map(toCells(channel, whole));
    for (const name of row.keys()) if (!columns.has(name)) columns.set(name, NO_TYPES);
    rows.push(row);
    yield;
  }
  const lines = [formatCsv([[...columns.keys()]])];
  for (const row of rows) {
    lines.push(formatCsv([[...columns].map(([name, types]) => formatCell(row.get(name), types))]));
    yield;
  }
  return lines.join('');
}

/**
 * Reads a table of channels. Columns may come in any order and may be left out; the channels themselves are not
 * checked.
 *
 * @throws {DocumentError} with the row and column of each error in the table, at most the first thousand
 */
export function* parseTagSheet(text: string, schema: JsonSchema): Slices<TagSheet> {
  const [header, ...body] = yield* parseCsvInSlices(text);
  if (header === undefined) throw new DocumentError([refuse('HEADER_MISSING', { row: 1 })]);
  const faults: DocumentFault[] = [];
  const columns = readHeader(header, listColumns(schema), faults);
  const separator = findListSeparator(text);
  const channels: unknown[] = [];
  for (const row of body) {
    if (faults.length >= MAXIMUM_FAULTS) break;
    channels.push(readChannel(row, { columns, separator }, faults));
    yield;
  }
  if (faults.length > 0) throw new DocumentError(faults);
  return { channels, rows: body.map(({ number }) => number) };
}

/** Returns an error of the document with its row and column in the sheet. */
export function locateInSheet(fault: DocumentFault, assetIndex: number, { rows }: TagSheet): DocumentFault {
  const [section, asset, list, channel, ...inside] = fault.path;
  const isInside = section === 'assets' && asset === assetIndex && list === 'channels';
  const row = isInside && typeof channel === 'number' ? rows[channel] : undefined;
  if (row === undefined) return fault;
  return { ...fault, row, column: inside.length > 0 ? inside.join('.') : undefined };
}

function readHeader(
  { number: row, cells }: CsvRow,
  known: readonly SheetColumn[],
  faults: DocumentFault[],
): readonly SheetColumn[] {
  const seen = new Set<string>();
  return cells.map((cell) => {
    const name = cell.trim();
    const column = known.find((candidate) => candidate.name === name);
    // A field with nested fields can be one cell of JSON.
    const isKnown = column !== undefined || known.some((inner) => inner.name.startsWith(`${name}.`));
    if (!isKnown || seen.has(name)) {
      faults.push(refuse(isKnown ? 'COLUMN_REPEATED' : 'COLUMN_UNKNOWN', { row, column: name }));
    }
    seen.add(name);
    return column ?? { name, types: NO_TYPES };
  });
}

function readChannel(
  { number: row, cells }: CsvRow,
  { columns, separator }: { readonly columns: readonly SheetColumn[]; readonly separator: ListSeparator },
  faults: DocumentFault[],
): unknown {
  if (cells.slice(columns.length).some((cell) => cell !== '')) {
    faults.push(refuse('CELLS_BEYOND_COLUMNS', { row }));
  }
  const fields = columns.flatMap(({ name, types }, index): readonly (readonly [string, unknown])[] => {
    try {
      return [[name, parseCell(cells[index] ?? '', types, separator)]];
    } catch {
      faults.push(refuse('EXPECTED_JSON', { row, column: name }));
      return [];
    }
  });
  return join(fields.filter(([, value]) => value !== undefined));
}

function refuse(
  code: keyof typeof SHEET_FAULTS,
  cell: { readonly row: number; readonly column?: string },
): DocumentFault {
  return { ...createFault([], createReason(SHEET_FAULTS, code, {})), ...cell };
}

/** Joins the columns of a value. */
function join(fields: readonly (readonly [string, unknown])[]): unknown {
  const groups = Map.groupBy(fields, ([name]) => name.split('.', 1)[0] ?? name);
  return Object.fromEntries(
    [...groups].map(([key, members]) => {
      const inner = members
        .filter(([name]) => name !== key)
        .map(([name, value]) => [name.slice(key.length + 1), value] as const);
      const own = members.find(([name]) => name === key)?.[1];
      if (inner.length === 0) return [key, own];
      return [key, isDocument(own) ? { ...own, ...(join(inner) as object) } : join(inner)];
    }),
  );
}
