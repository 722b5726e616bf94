import { isDeepStrictEqual } from 'node:util';

import type { ListSeparator } from '../../../base/text/csv.ts';
import type { JsonSchema } from '../../../configuration/document-schema.ts';
import { isDocument } from '../../../configuration/managed-document.ts';

/** Name of a column, with dots between nested fields, and the types that its cells can have. */
export interface SheetColumn {
  readonly name: string;
  readonly types: ReadonlySet<string>;
}

/** Prefix of a cell whose content is JSON, for values without a plain text. */
const JSON_PREFIX = 'json:';

// A spreadsheet takes a text that begins so for a formula.
const FORMULA = /^[=+\-@\t\r]/;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

// Between tabs it may also be grouped by thousands: 1,234.
const DECIMAL_COMMA = {
  ',': undefined,
  ';': /^[^,.]*,[^,.]*$/,
  '\t': /^(?:[^,.]*,(?!\d{3}$)|[+-]?0,)[^,.]*$/,
} as const;

/** Returns the fields without nested fields, in the order of the schema; alternatives are joined. */
export function listColumns(schema: JsonSchema, prefix = ''): readonly SheetColumn[] {
  const columns = new Map<string, Set<string>>();
  for (const [name, field] of listFields(schema)) {
    const path = `${prefix}${name}`;
    const inner = listColumns(field, `${path}.`);
    const own = inner.length > 0 ? inner : [{ name: path, types: listTypes(field) }];
    for (const column of own) {
      columns.set(column.name, (columns.get(column.name) ?? new Set()).union(column.types));
    }
  }
  return [...columns].map(([name, types]) => ({ name, types }));
}

/**
 * Splits a value into its columns; a value without a plain text is written as JSON, no value as an empty cell.
 *
 * @param whole names of the columns that are not split
 */
export function toCells(
  value: unknown,
  whole: ReadonlySet<string>,
  prefix = '',
): readonly (readonly [string, unknown])[] {
  if (!isDocument(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const name = `${prefix}${key}`;
    const isSplit = isDocument(field) && Object.keys(field).length > 0 && !key.includes('.');
    return isSplit && !whole.has(name) ? toCells(field, whole, `${name}.`) : [[name, field] as const];
  });
}

/** Writes a value so that `parseCell` returns exactly the same value, and no spreadsheet takes it for a formula. */
export function formatCell(value: unknown, types: ReadonlySet<string>): string {
  if (value === undefined) return '';
  const text = toPlainText(value);
  // A text with the prefix would be read as JSON, which it may not be.
  const isSafe = text !== '' && !text.startsWith(JSON_PREFIX) && !isFormula(value, text);
  const isPlain = isSafe && isDeepStrictEqual(parseCell(text, types), value);
  return isPlain ? text : `${JSON_PREFIX}${JSON.stringify(value)}`;
}

/**
 * Reads a cell. A cell that does not have the type of its column stays text, which the schema then refuses.
 *
 * @param separator of the table; where it is not the comma, numbers may have a decimal comma, as in German spreadsheets
 * @returns undefined for an empty cell
 * @throws {SyntaxError} when there is no JSON after the prefix
 */
export function parseCell(text: string, types: ReadonlySet<string>, separator: ListSeparator = ','): unknown {
  if (text === '') return undefined;
  if (text.startsWith(JSON_PREFIX)) return JSON.parse(text.slice(JSON_PREFIX.length));
  if (types.has('number') || types.has('integer')) {
    const number = parseNumber(DECIMAL_COMMA[separator]?.test(text) === true ? text.replace(',', '.') : text);
    if (number !== undefined) return number;
  }
  // Spreadsheets write booleans in capitals.
  if (types.has('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (types.has('string')) return text;
  if (types.has('array')) return parseList(text);
  return types.has('object') ? (parsePairs(text) ?? text) : text;
}

/** Returns a value as a cell without JSON: numbers and texts with spaces, or texts by key; empty if it has none. */
function toPlainText(value: unknown): string {
  if (isScalar(value)) return String(value);
  if (Array.isArray(value)) return value.every(isScalar) ? value.join(' ') : '';
  if (!isDocument(value)) return '';
  const entries = Object.entries(value);
  return entries.every(([, text]) => typeof text === 'string')
    ? entries.map(([key, text]) => `${key}=${String(text)}`).join('; ')
    : '';
}

/** Parses `32768 0x7FFF`. */
function parseList(text: string): readonly (string | number)[] {
  return text
    .split(/[\s;]+/)
    .filter((item) => item !== '')
    .map((item) => parseNumber(item) ?? item);
}

/** Parses `0=Off; 1=Heating`; undefined for another text. */
function parsePairs(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(';').map((pair) => /^\s*([^=]*[^=\s])\s*=\s*(.*\S)\s*$/.exec(pair));
  const entries = pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? ''] as const]));
  return entries.length === pairs.length ? Object.fromEntries(entries) : undefined;
}

function parseNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const number = Number(text);
  // An integer that a double cannot hold must not become another one, nor anything infinite.
  const isKept = !Number.isInteger(number) || Number.isSafeInteger(number) || /[.eE]/.test(text);
  return isKept && Number.isFinite(number) ? number : undefined;
}

function isFormula(value: unknown, text: string): boolean {
  return typeof value !== 'number' && FORMULA.test(text);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function listFields(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  const { properties } = schema;
  const own = isDocument(properties) ? Object.entries(properties) : [];
  const fields = own.filter((entry): entry is [string, JsonSchema] => isDocument(entry[1]));
  return [...fields, ...listBranches(schema).flatMap(listFields)];
}

function listTypes(schema: JsonSchema): Set<string> {
  const types = new Set([schema['type'] ?? []].flat().filter((type) => typeof type === 'string'));
  return listBranches(schema).reduce((all, branch) => all.union(listTypes(branch)), types);
}

function listBranches(schema: JsonSchema): readonly JsonSchema[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
    const branches: unknown = schema[keyword];
    return Array.isArray(branches) ? (branches as readonly unknown[]).filter(isDocument) : [];
  });
}
