import { findPage, paint } from './page.ts';
import type { Page, Tone } from './page.ts';

/** Column of a table. */
interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => string | number | boolean | undefined;
  /** True: omitted if empty in every row, to save width. */
  readonly isOptional?: boolean;
  /** Colour of the text. */
  readonly tone?: (row: Row) => Tone | undefined;
}

const GAP = '  ';
// Narrower columns are unreadable.
const MINIMUM_WIDTH = 4;
// Words up to this length stay whole if all columns fit; tried from the first to the last.
const WHOLE_WORDS = [24, 18, 14, 11, 8, MINIMUM_WIDTH];
// A longer text, such as an array, shifts only its own row.
const MAXIMUM_WIDTH = 40;

/**
 * Formats rows as a table and replaces control characters. If the page has a width, the widest columns are wrapped to
 * fit; otherwise each row is one line.
 */
export function formatTable<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  page: Page = findPage(),
): string {
  const columns = all.filter(
    ({ isOptional = false, show }) => !isOptional || rows.some((row) => (show(row) ?? '') !== ''),
  );
  const titles = columns.map(({ title }) => title);
  const cells = rows.map((row) => columns.map(({ show }) => toPrintable(String(show(row) ?? '-'))));
  const widths =
    page.columns === undefined
      ? measure([titles, ...cells], MAXIMUM_WIDTH)
      : fit([titles, ...cells], measure([titles, ...cells]), page.columns);
  const tones = rows.map((row) => columns.map(({ tone }) => tone?.(row)));
  return [
    layRow(titles, widths, () => 'TITLE', page),
    ...cells.map((line, index) => layRow(line, widths, (column) => tones[index]?.[column], page)),
  ].join('');
}

function measure(lines: readonly (readonly string[])[], longest = Infinity): readonly number[] {
  return (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => widthOf(line[column] ?? '')).filter((width) => width <= longest)),
  );
}

/** Narrows the widest columns equally until all fit; breaks words only as a last resort. */
function fit(
  lines: readonly (readonly string[])[],
  natural: readonly number[],
  available: number,
): readonly number[] {
  const words = lines.map((line) => line.map(measureWords));
  const longest = natural.map((_, column) => Math.max(...words.map((line) => line[column] ?? 0)));
  for (const whole of WHOLE_WORDS) {
    const least = longest.map((width) => Math.min(width, whole));
    const widths = narrow(natural, least, available);
    if (widths !== undefined) return widths;
  }
  return natural;
}

function measureWords(cell: string): number {
  return Math.max(...cell.split(' ').map(widthOf));
}

function narrow(
  natural: readonly number[],
  least: readonly number[],
  available: number,
): readonly number[] | undefined {
  const gaps = GAP.length * (natural.length - 1);
  for (let limit = Math.min(available, Math.max(...natural)); limit >= MINIMUM_WIDTH; limit -= 1) {
    const widths = natural.map((width, column) => Math.min(width, Math.max(limit, least[column] ?? 0)));
    if (widths.reduce((sum, width) => sum + width, gaps) <= available) return widths;
  }
  return undefined;
}

function layRow(
  cells: readonly string[],
  widths: readonly number[],
  toneOf: (column: number) => Tone | 'TITLE' | undefined,
  page: Page,
): string {
  const parts = cells.map((cell, column) =>
    page.columns === undefined ? [cell] : breakLines(cell, widths[column] ?? MAXIMUM_WIDTH),
  );
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) => {
    const line = parts.map((lines, column) => {
      const text = lines[index] ?? '';
      const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text)));
      return { text: paint(text, toneOf(column), page), padding };
    });
    const last = line.findLastIndex(({ text }) => text !== '');
    return `${line
      .slice(0, last + 1)
      .map(({ text, padding }, column) => (column === last ? text : `${text}${padding}`))
      .join(GAP)}\n`;
  }).join('');
}

/** Wraps a text between words to lines of at most this width. */
export function wrapText(text: string, width: number): string {
  return `${breakLines(text, width).join('\n')}\n`;
}

/** Breaks a text between words, or inside words longer than a line. */
function breakLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ /)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = cut(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return [...lines, line];
}

function cut(word: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (widthOf(piece + character) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

// Characters of two columns: East Asian wide and emoji (Unicode Standard Annex 11, W and F).
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
const IS_PLAIN = /^[\x20-\x7E]*$/;

function widthOf(text: string): number {
  if (IS_PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    if (!WITHOUT_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/** Replaces control characters in untrusted text, for example from devices or bundles. */
export function toPrintable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

const COLUMNS = 18;

/** Formats named values, one per line; omits absent and empty ones. */
export function formatFields(
  fields: readonly (readonly [title: string, value: string | number | undefined])[],
  { columns } = findPage(),
): string {
  return fields
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([title, value]) => {
      const text = toPrintable(String(value));
      const lines =
        columns === undefined
          ? [text]
          : wrapText(text, columns - COLUMNS)
              .trimEnd()
              .split('\n');
      const indented = lines.map(
        (line, index) => `${(index === 0 ? `${title}:` : '').padEnd(COLUMNS)}${line}`,
      );
      return `${indented.join('\n')}\n`;
    })
    .join('');
}
