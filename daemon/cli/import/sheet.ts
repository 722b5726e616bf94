import { DocumentError } from '../../base/document-error.ts';
import { parseCsv } from '../../base/text/csv.ts';
import { unreadable } from './imported.ts';

/** One row of a table, with its cells by the title of their column. */
export interface SheetRow {
  /** `row 3`, as spreadsheets count. */
  readonly place: string;
  readonly cells: ReadonlyMap<string, string>;
  /** All cells, for messages. */
  readonly text: string;
}

/** A table with a header. */
export interface Sheet {
  /** Titles in their order, without those that repeat. */
  readonly titles: readonly string[];
  readonly rows: readonly SheetRow[];
}

/**
 * Reads a table with a header; repeated column titles get the suffix ` 2`, ` 3`.
 *
 * @param required titles that the header must have
 * @throws {CommandError} `IMPORT_UNREADABLE`, with the row
 */
export function readSheet(text: string, required: readonly string[]): Sheet {
  const [header, ...body] = parse(text);
  if (header === undefined) throw unreadable('row 1: the header is missing');
  const titles = header.cells.map((cell) => cell.trim());
  const unique = titles.map((title, index) => {
    const count = titles.slice(0, index + 1).filter((each) => each === title).length;
    return count === 1 ? title : `${title} ${count}`;
  });
  const missing = required.filter((title) => !unique.includes(title));
  if (missing.length > 0) throw unreadable(`row ${header.number}: missing column ${missing.join(', ')}`);
  const rows = body.map(({ number, cells }) => {
    if (cells.slice(unique.length).some((cell) => cell !== '')) {
      throw unreadable(`row ${number}: more cells than columns`);
    }
    return {
      place: `row ${number}`,
      cells: new Map(cells.slice(0, unique.length).map((cell, index) => [unique[index] ?? '', cell.trim()])),
      text: cells.filter((cell) => cell !== '').join(','),
    };
  });
  return { titles: unique.filter((title) => title !== ''), rows };
}

function parse(text: string): ReturnType<typeof parseCsv> {
  try {
    return parseCsv(text);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw unreadable(error.detail, error);
  }
}
