import { createFault, createReason } from '../fault-reason.ts';
import { BASE_FAULTS } from '../fault-sentences.ts';
import { DocumentError } from '../document-error.ts';
import { finish } from '../slices.ts';
import type { Slices } from '../slices.ts';

/** One row of a table; `number` counts from 1 as spreadsheets do, the header included. */
export interface CsvRow {
  readonly number: number;
  readonly cells: readonly string[];
}

// The most channels of an asset, and the header; far more columns and longer cells than they need.
export const MAXIMUM_ROWS = 100_001;
export const MAXIMUM_COLUMNS = 200;
export const MAXIMUM_CELL_LENGTH = 10_000;
const CHARACTERS = 'CHARACTERS_IN_CELL';

/** Separator of the cells of a row. */
export type ListSeparator = ',' | ';' | '\t';

/**
 * Reads a table in the format of RFC 4180.
 *
 * Lines end with CRLF, LF or CR; the separator of the first row, comma, semicolon or tab, applies to all. A byte
 * order mark and rows of empty cells are skipped.
 *
 * @throws {DocumentError} for NUL, and with the row whose quotes are invalid, or that exceeds a bound
 */
export function parseCsv(text: string): readonly CsvRow[] {
  return finish(parseCsvInSlices(text));
}

/** Reads a table as {@link parseCsv} does, row by row. */
export function* parseCsvInSlices(text: string): Slices<readonly CsvRow[]> {
  if (text.includes('\0'))
    throw new DocumentError([createFault([], createReason(BASE_FAULTS, 'NUL_IN_TEXT', {}))]);
  const source = text.replace(/^\uFEFF/, '');
  const separator = findListSeparator(source);
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let number = 1;
  for (let at = 0; at <= source.length;) {
    const { cell, end } = readCell(source, at, separator, number);
    cells.push(cell);
    checkBounds(number, cells);
    at = source.startsWith('\r\n', end) ? end + 2 : end + 1;
    if (source[end] === separator) continue;
    if (cells.some((content) => content !== '')) rows.push({ number, cells });
    cells = [];
    number += 1;
    yield;
  }
  return rows;
}

/**
 * Returns the separator of the first row of a table, which applies to all: RFC 4180 has only the comma, spreadsheets write the
 * list separator of their locale.
 */
export function findListSeparator(text: string): ListSeparator {
  let isQuoted = false;
  for (const character of text) {
    // A doubled quote ends one text and begins the next.
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === ',' || character === ';' || character === '\t') return character;
    if (isLineEnd(character)) break;
  }
  return ',';
}

/** Writes a table in the format of RFC 4180: rows end with CRLF, cells are quoted where necessary. */
export function formatCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

function checkBounds(row: number, cells: readonly string[]): void {
  if (row > MAXIMUM_ROWS) throw tooMany(row, MAXIMUM_ROWS, 'ROWS');
  if (cells.length > MAXIMUM_COLUMNS) throw tooMany(row, MAXIMUM_COLUMNS, 'COLUMNS');
}

function tooMany(row: number, maximum: number, what: 'ROWS' | 'COLUMNS' | typeof CHARACTERS): DocumentError {
  const reason = createReason(BASE_FAULTS, `EXPECTED_AT_MOST_${what}`, { bound: maximum });
  return new DocumentError([{ ...createFault([], reason), row }]);
}

function readCell(
  source: string,
  start: number,
  separator: string,
  row: number,
): { readonly cell: string; readonly end: number } {
  if (source[start] !== '"') {
    const end = findEnd(source, start, separator);
    if (end - start > MAXIMUM_CELL_LENGTH) throw tooMany(row, MAXIMUM_CELL_LENGTH, CHARACTERS);
    return { cell: source.slice(start, end), end };
  }
  const closing = findClosingQuote(source, start);
  if (closing - start > MAXIMUM_CELL_LENGTH) throw tooMany(row, MAXIMUM_CELL_LENGTH, CHARACTERS);
  const end = closing + 1;
  if (closing > 0 && end === findEnd(source, end, separator)) {
    return { cell: source.slice(start + 1, closing).replaceAll('""', '"'), end };
  }
  const code = closing < 0 ? 'CLOSING_QUOTE_MISSING' : 'SEPARATOR_MISSING';
  throw new DocumentError([{ ...createFault([], createReason(BASE_FAULTS, code, {})), row }]);
}

/** Returns the position of the next quote that is not doubled; -1 if none. */
function findClosingQuote(source: string, opening: number): number {
  let at = source.indexOf('"', opening + 1);
  while (at >= 0 && source[at + 1] === '"') at = source.indexOf('"', at + 2);
  return at;
}

function findEnd(source: string, start: number, separator: string): number {
  let end = start;
  while (end < source.length && source[end] !== separator && !isLineEnd(source[end])) end += 1;
  return end;
}

function isLineEnd(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

function quote(cell: string): string {
  return /^\s|[",;\t\r\n]|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
