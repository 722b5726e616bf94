import type { Document } from '../change/edit-target.ts';
import type { ChannelColumn } from './channel-column.ts';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const HEXADECIMAL = /^0x[0-9a-f]+$/i;
const DECIMAL_COMMA = /^[+-]?\d*,\d+$/;

/** Returns the value of a channel field; undefined if it is not set. */
export function getCell(channel: Document, key: string): unknown {
  let value: unknown = channel;
  for (const name of key.split('.')) value = (value as Document | null | undefined)?.[name];
  return value;
}

/** Returns a channel with another value of a field; undefined removes the field, and parents without fields. */
export function setCell(channel: Document, key: string, value: unknown): Document {
  const [name = '', ...inner] = key.split('.');
  const before = channel[name];
  const isBranch = typeof before === 'object' && before !== null && !Array.isArray(before);
  const next =
    inner.length === 0 ? value : setCell(isBranch ? (before as Document) : {}, inner.join('.'), value);
  const isGone = next === undefined || (inner.length > 0 && Object.keys(next as Document).length === 0);
  if (!isGone) return { ...channel, [name]: next };
  const { [name]: _removed, ...left } = channel;
  return left;
}

/** Writes a field as text; `parseCell` returns the same value. */
export function formatCell(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Reads a typed or pasted text; numbers may have a decimal comma, as in German spreadsheets. A text that is not of the kind of the
 * column stays a text, which is a fault.
 *
 * @returns undefined for an empty text
 */
export function parseCell(text: string, { kind, choices }: ChannelColumn): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (kind === 'NUMBER') return parseNumber(trimmed) ?? trimmed;
  if (kind === 'BOOLEAN') return parseBoolean(trimmed) ?? trimmed;
  if (kind === 'CHOICE')
    return choices.find((choice) => choice.toLowerCase() === trimmed.toLowerCase()) ?? trimmed;
  if (kind === 'TEXT') return text;
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed;
  }
}

/** Reads a number with a decimal point or comma, or a hexadecimal one; undefined for any other text. */
export function parseNumber(text: string): number | undefined {
  if (HEXADECIMAL.test(text)) return Number(text);
  const plain = DECIMAL_COMMA.test(text) ? text.replace(',', '.') : text;
  return NUMBER.test(plain) ? Number(plain) : undefined;
}

// Spreadsheets write booleans in capitals, German ones in German.
function parseBoolean(text: string): boolean | undefined {
  if (/^(?:true|wahr|yes|ja|1)$/i.test(text)) return true;
  return /^(?:false|falsch|no|nein|0)$/i.test(text) ? false : undefined;
}
