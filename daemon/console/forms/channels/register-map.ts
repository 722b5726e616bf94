import type { Document } from '../change/edit-target.ts';
import { formatCell, parseCell, parseNumber, setCell } from './channel-cell.ts';
import type { ChannelColumn } from './channel-column.ts';
import { DATA_TYPES, HEADINGS, TABLES } from './register-words.ts';

/** How a manual counts registers. */
export type Addressing = 'FROM_ZERO' | 'FROM_ONE' | 'BY_TABLE';

/** Channels of a pasted table. */
export interface PastedChannels {
  readonly channels: readonly Document[];
  /** Headings without a field. */
  readonly unknown: readonly string[];
}

const PREFIXES: Readonly<Record<string, string>> = {
  0: 'COILS',
  1: 'DISCRETE_INPUTS',
  3: 'INPUT_REGISTERS',
  4: 'HOLDING_REGISTERS',
};

/** True if the first row of a pasted table has headings. */
export function hasHeadings(
  cells: readonly (readonly string[])[],
  columns: readonly ChannelColumn[],
): boolean {
  const [header = []] = cells;
  const known = header.filter((heading) => findKey(heading, columns) !== undefined);
  return known.length > 1 && known.some((heading) => findKey(heading, columns) === 'name');
}

/**
 * Guesses how a table counts registers. Five or six digits that begin with 3 or 4 name the table if 0 follows, or if a column says
 * that they are input registers; "R12" is counted from 1, and a table of four digits that begins at 0001 as well.
 */
export function guessAddressing(cells: readonly (readonly string[])[]): Addressing {
  const [header = [], ...body] = cells;
  const at = header.findIndex((heading) => findHeading(heading) === 'address.offset');
  const tableAt = header.findIndex((heading) => findHeading(heading) === 'address.table');
  const rows = body.filter((row) => (row[at] ?? '') !== '');
  if (rows.length === 0) return 'FROM_ZERO';
  const isEach = (pattern: RegExp): boolean => rows.every((row) => pattern.test(row[at] ?? ''));
  const areInputs = rows.every(
    (row) => findWord(TABLES, (row[tableAt] ?? '').toLowerCase()) === 'INPUT_REGISTERS',
  );
  if (isEach(/^[34]0\d{3,4}(?!\d)/) || (areInputs && isEach(/^3\d{4,5}(?!\d)/))) return 'BY_TABLE';
  const isFromOne = isEach(/^\d{4}(?!\d)/) && /^0001(?!\d)/.test(rows[0]?.[at] ?? '');
  return isFromOne || isEach(/^R[1-9]\d*(?!\d)/i) ? 'FROM_ONE' : 'FROM_ZERO';
}

/** Reads a pasted table with headings: those of the gateway, or of a register map. */
export function readChannels(
  cells: readonly (readonly string[])[],
  {
    columns,
    addressing,
    defaults,
  }: Readonly<{ columns: readonly ChannelColumn[]; addressing: Addressing; defaults: Document }>,
): PastedChannels {
  const [header = [], ...body] = cells;
  const found = header.map((heading, index) => {
    const key = findKey(heading, columns);
    // "Type" is the direction in the gateway, and the data type in most manuals.
    const isDirection = (text: string): boolean => /^(read|write|read_write|)$/i.test(text);
    if (
      key === 'type' &&
      !body.every((row) => isDirection(row[index] ?? '') || toDirection(row[index] ?? ''))
    )
      return 'address.dataType';
    return key;
  });
  const nameAt = chooseName(found, body);
  const keys = found.map((key, index) => (key === 'name' && index !== nameAt ? undefined : key));
  const unknown = header.filter((heading, index) => heading !== '' && keys[index] === undefined);
  const names = new Map<string, number>();
  const offsetAt = keys.indexOf('address.offset');
  const areRanges = body.some((row) => (countRange(row[offsetAt] ?? '') ?? 1) > 1);
  const channels = body.map((row) => {
    // What the value is follows from its data type, which each row may have.
    const hasType = keys.some((key, index) => key === 'address.dataType' && isFilled(row[index]));
    const { valueType, ...others } = defaults;
    let channel: Document = hasType || valueType === undefined ? others : defaults;
    for (const [index, key] of keys.entries()) {
      const text =
        key === 'address.offset' ? readHexadecimal(row[index] ?? '', header[index]) : (row[index] ?? '');
      if (key !== undefined && isFilled(text))
        channel = setField(channel, key, text, { columns, addressing });
    }
    if (!keys.includes('unit')) channel = setNotedUnit(channel, row);
    return complete(fitRegisters(nameOnce(channel, names), row, { keys, areRanges }));
  });
  return { channels, unknown };
}

/** A column "Start Reg (Hex)" has its digits without 0x. */
function readHexadecimal(text: string, heading = ''): string {
  return /\bhex\b/i.test(heading) && /^[0-9a-f]{1,4}$/i.test(text.trim()) ? `0x${text.trim()}` : text;
}

/** Manuals write a dash where there is nothing. */
function isFilled(text: string | undefined): text is string {
  return text !== undefined && !/^[-–—]?$/.test(text.trim());
}

/** Returns the column with the most different names: some manuals have a symbol and a name. */
function chooseName(keys: readonly (string | undefined)[], body: readonly (readonly string[])[]): number {
  const places = keys.flatMap((key, index) => (key === 'name' ? [index] : []));
  const count = (index: number): number =>
    new Set(body.map((row) => row[index] ?? '').filter((text) => isFilled(text))).size;
  return places.toSorted((one, other) => count(other) - count(one))[0] ?? -1;
}

/** Numbers a name that another row has. */
function nameOnce(channel: Document, names: Map<string, number>): Document {
  const name = channel['name'];
  if (typeof name !== 'string') return channel;
  const times = (names.get(name) ?? 0) + 1;
  names.set(name, times);
  return times === 1 ? channel : { ...channel, name: `${name}-${times}` };
}

/** Takes the unit from a note such as "Unit: m3/h". */
function setNotedUnit(channel: Document, row: readonly string[]): Document {
  const [unit] = row.flatMap((text) => /^unit: *(\S+)$/i.exec(text.trim())?.[1] ?? []);
  return unit === undefined ? channel : setUnit(channel, unit);
}

/** Makes a type as long as the table says: "UINT" over 2 registers, a text of 8. */
function fitRegisters(
  channel: Document,
  row: readonly string[],
  { keys, areRanges }: Readonly<{ keys: readonly (string | undefined)[]; areRanges: boolean }>,
): Document {
  const { dataType, bit } = (channel['address'] ?? {}) as Document;
  const registers =
    parseNumber((row[keys.indexOf('registers')] ?? '').trim()) ??
    countRange(row[keys.indexOf('address.offset')] ?? '', areRanges);
  if (registers === undefined || typeof dataType !== 'string') return channel;
  // "BIT" over a register is a field of 16 bits.
  if (dataType === 'BOOLEAN' && bit === undefined && registers === 1)
    return setCell(channel, 'address.dataType', 'UINT16');
  if (dataType === 'STRING') return setCell(channel, 'address.length', registers * 2);
  if (/^bcd$/i.test(dataType) && [1, 2, 4].includes(registers))
    return setCell(channel, 'address.dataType', `BCD${registers * 16}`);
  const [, kind] = /^(U?INT|FLOAT)(?:16|32|64)$/.exec(dataType) ?? [];
  const fits = kind !== undefined && (registers === 2 || registers === 4);
  return fits ? setCell(channel, 'address.dataType', `${kind}${registers * 16}`) : channel;
}

/**
 * Counts the registers of "0001-0002".
 *
 * @param areRanges the table has such ranges, so that "0003" is one register
 */
function countRange(text: string, areRanges = false): number | undefined {
  const [, first, last = areRanges ? first : undefined] =
    /^(\d+)(?:\s*[-–—]\s*(\d+))?$/.exec(text.trim()) ?? [];
  return first === undefined || last === undefined ? undefined : Number(last) - Number(first) + 1;
}

function findKey(heading: string, columns: readonly ChannelColumn[]): string | undefined {
  const exact = columns.find(({ key }) => key === heading);
  if (exact !== undefined) return exact.key;
  const key = findHeading(heading);
  return key === 'divisor' ||
    key === 'multiplier' ||
    key === 'registers' ||
    columns.some((column) => column.key === key)
    ? key
    : undefined;
}

function findHeading(heading: string): string | undefined {
  const plain = heading
    .toLowerCase()
    .replaceAll(/[_\s]+/g, ' ')
    .replaceAll(/[[(].*$/g, '')
    .trim();
  return HEADINGS.find(([pattern]) => pattern.test(plain))?.[1];
}

function setField(
  channel: Document,
  key: string,
  text: string,
  { columns, addressing }: Readonly<{ columns: readonly ChannelColumn[]; addressing: Addressing }>,
): Document {
  const column = columns.find((candidate) => candidate.key === key);
  if (key === 'registers') return channel;
  if (key === 'multiplier') {
    const factor = parseNumber(text.trim());
    const isDivisor = factor !== undefined && /^10+$/.test(String(factor));
    return setField(channel, isDivisor ? 'divisor' : 'valueScale', text, { columns, addressing });
  }
  if (key === 'divisor') {
    const divisor = parseNumber(text.trim());
    if (divisor === 1) return channel;
    return divisor === undefined || divisor === 0 ? channel : setCell(channel, 'valueScale', 1 / divisor);
  }
  if (column === undefined) return channel;
  if (key === 'address.offset' && column.kind === 'NUMBER') return setOffset(channel, text, addressing);
  const plain = text.trim().toLowerCase();
  if (key === 'address.dataType') return setCell(channel, key, toWord(DATA_TYPES, plain, text, column));
  if (key === 'address.table') return setCell(channel, key, toWord(TABLES, plain, text, column));
  if (key === 'name') return setCell(channel, key, text.trim().replaceAll(/[\s#/+,]+/g, '-'));
  if (key === 'type') return setCell(channel, key, toDirection(text) ?? parseCell(text, column));
  if (key === 'unit') return setUnit(channel, text);
  if (key === 'valueScale') return setCell(channel, key, readScale(text) ?? parseCell(text, column));
  return setCell(channel, key, parseCell(text, column));
}

/** "V (volt)" is V, and "Hz/100" a hundredth of Hz. */
function setUnit(channel: Document, text: string): Document {
  const [, unit = text.trim(), parts] = /^([^\s(/]+)(?:\s*\(.*\)|\s*\/\s*(10+))$/.exec(text.trim()) ?? [];
  const named = setCell(channel, 'unit', unit);
  return parts === undefined ? named : setCell(named, 'valueScale', 1 / Number(parts));
}

function setOffset(channel: Document, text: string, addressing: Addressing): Document {
  // "40012–40013" and "12 / 13" name the first register, "R12" the twelfth, and "12.3" a bit.
  const plain = text.trim().replace(/^R(?=\d)/i, '');
  const [first = ''] = /^(?:0x[0-9a-f]+|\d+)/i.exec(plain) ?? [];
  const [, bit] = /^\d+\.(\d{1,2})$/.exec(plain) ?? [];
  if (bit !== undefined && Number(bit) < 16)
    return setOffset(setCell(channel, 'address.bit', Number(bit)), first, addressing);
  const number = parseNumber(first === '' ? text.trim() : first);
  if (number === undefined) return setCell(channel, 'address.offset', text);
  if (addressing === 'FROM_ZERO') return setCell(channel, 'address.offset', number);
  if (addressing === 'FROM_ONE') return setCell(channel, 'address.offset', number - 1);
  const digits = first.padStart(5, '0');
  const table = PREFIXES[digits[0] ?? ''];
  const placed = table === undefined ? channel : setCell(channel, 'address.table', table);
  return setCell(placed, 'address.offset', Number(digits.slice(1)) - 1);
}

function toWord(
  words: readonly (readonly [RegExp, string])[],
  plain: string,
  text: string,
  column: ChannelColumn,
): unknown {
  const exact = parseCell(text, column);
  if (column.choices.includes(String(exact))) return exact;
  return findWord(words, plain) ?? text;
}

function findWord(words: readonly (readonly [RegExp, string])[], plain: string): string | undefined {
  return words.find(([pattern]) => pattern.test(plain))?.[1];
}

function toDirection(text: string): string | undefined {
  const plain = text.toLowerCase().replaceAll(/[\s/_-]+/g, '');
  if (/^(r|ro|read|readonly|lesen)$/.test(plain)) return 'READ';
  if (/^(rw|readwrite|lesenschreiben)$/.test(plain)) return 'READ_WRITE';
  return /^(w|wo|write|writeonly|schreiben)$/.test(plain) ? 'WRITE' : undefined;
}

// "1/10", "x0.1", "÷ 10" and "0,1".
function readScale(text: string): number | undefined {
  const plain = text.replaceAll(/\s+/g, '').replace(/^[x×*]/i, '');
  const fraction = /^(?:1\/|[/÷:])(\d+)$/.exec(plain);
  if (fraction !== null) return 1 / Number(fraction[1]);
  return parseNumber(plain);
}

/** Fills in the value type that follows from the data type, and the direction. */
export function complete(channel: Document): Document {
  const { dataType } = (channel['address'] ?? {}) as Document;
  const whole = Number.isInteger(channel['valueScale'] ?? 1);
  const valueType = channel['valueType'] ?? valueTypeOf(formatCell(dataType), whole);
  const type = channel['type'] ?? 'READ';
  return valueType === undefined ? { ...channel, type } : { ...channel, type, valueType };
}

function valueTypeOf(dataType: string, isWhole: boolean): string | undefined {
  if (dataType === 'BOOLEAN' || dataType === 'STRING') return dataType;
  if (dataType === 'FLOAT32') return isWhole ? 'FLOAT' : 'DOUBLE';
  if (dataType === 'FLOAT64') return 'DOUBLE';
  if (!/^U?INT/.test(dataType)) return undefined;
  if (!isWhole) return 'DOUBLE';
  return /16|INT32/.test(dataType) && dataType !== 'UINT32' ? 'INTEGER' : 'LONG';
}

/** Gives a number over several registers the low word first, unless its row says otherwise. */
export function withLowWordFirst(channel: Document): Document {
  const { dataType, wordOrder } = (channel['address'] ?? {}) as Document;
  const isLong = /^(?:U?INT|FLOAT)(?:32|64)$/.test(formatCell(dataType));
  return isLong && wordOrder === undefined ? setCell(channel, 'address.wordOrder', 'LITTLE_ENDIAN') : channel;
}
