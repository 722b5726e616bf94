import type { Document } from '../change/edit-target.ts';
import { formatCell, parseCell, parseNumber, setCell } from './channel-cell.ts';
import type { ChannelColumn } from './channel-column.ts';

/** How a manual counts registers. */
export type Addressing = 'FROM_ZERO' | 'FROM_ONE' | 'BY_TABLE';

/** Channels of a pasted table. */
export interface PastedChannels {
  readonly channels: readonly Document[];
  /** Headings without a field. */
  readonly unknown: readonly string[];
}

// Headings of register maps and tag lists, in English and German.
const HEADINGS: readonly (readonly [pattern: RegExp, key: string])[] = [
  [/^(name|tag|tag ?name|signal|channel|kanal|parameter|bezeichnung|variable|messwert|symbol)$/, 'name'],
  [
    /^(addr(ess)?|adresse|register|register ?(no|number|nr|address|adresse)?\.?|reg|offset|start|modbus ?address|dec(imal)?)$/,
    'address.offset',
  ],
  [/^(data ?type|datentyp|format|typ|type|datatype)$/, 'address.dataType'],
  [/^(scale|scaling|factor|faktor|skalierung|gain|multiplier|resolution|auflösung)$/, 'valueScale'],
  [/^(divisor|divider|teiler)$/, 'divisor'],
  [/^(unit|units|einheit|eng\.? ?units?|dimension)$/, 'unit'],
  [/^(access|zugriff|r\/?w|rw|mode|read\/?write)$/, 'type'],
  [/^(table|function|function ?code|fc|registerart|register ?type|object ?type|tabelle)$/, 'address.table'],
  [/^(unit ?id|slave|slave ?id|device ?address|geräteadresse)$/, 'address.unitId'],
  [/^(description|beschreibung|comment|kommentar|remark|bemerkung|notes?)$/, 'description'],
  [/^(min|minimum)$/, 'write.minimum'],
  [/^(max|maximum)$/, 'write.maximum'],
  [/^(word ?order|wortfolge)$/, 'address.wordOrder'],
];

const DATA_TYPES: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^(u(nsigned )?(int|short)?_?16|uint|word|unsigned|ushort|unsigned int(eger)?)$/, 'UINT16'],
  [/^((s(igned )?|i)(int|nt)?_?16|int|short|signed|sint16|integer|int16)$/, 'INT16'],
  [/^(u(nsigned )?(int|long)?_?32|dword|udint|ulong|unsigned long|uint32)$/, 'UINT32'],
  [/^((s(igned )?|i)(int|nt)?_?32|dint|long|signed long|sint32|int32)$/, 'INT32'],
  [/^(u(nsigned )?int_?64|uint64|u64|ulint|qword)$/, 'UINT64'],
  [/^((s(igned )?)?int_?64|s64|i64|lint)$/, 'INT64'],
  [/^(float_?(32)?|real|f32|single|ieee ?754|float ?ieee)$/, 'FLOAT32'],
  [/^(float_?64|double|lreal|f64)$/, 'FLOAT64'],
  [/^(bool(ean)?|bit)$/, 'BOOLEAN'],
  [/^(string|ascii|char|text).*$/, 'STRING'],
];

const TABLES: readonly (readonly [pattern: RegExp, table: string])[] = [
  [/^(0?x?0?3|holding.*|hr|4x+|halteregister)$/, 'HOLDING_REGISTERS'],
  [/^(0?x?0?4|input ?reg.*|ir|3x+|eingangsregister)$/, 'INPUT_REGISTERS'],
  [/^(0?x?0?1|coils?|0x+|spulen?)$/, 'COILS'],
  [/^(0?x?0?2|discrete.*|di|1x+|input ?status)$/, 'DISCRETE_INPUTS'],
];

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

/** Guesses how a table counts registers: 5 or 6 digits that begin with 3 or 4 throughout name the table. */
export function guessAddressing(cells: readonly (readonly string[])[]): Addressing {
  const [header = [], ...body] = cells;
  const at = header.findIndex((heading) => findHeading(heading) === 'address.offset');
  const addresses = body.map((row) => row[at] ?? '').filter((text) => text !== '');
  return addresses.length > 0 && addresses.every((text) => /^[34]0\d{3,4}$/.test(text))
    ? 'BY_TABLE'
    : 'FROM_ZERO';
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
  const keys = header.map((heading, index) => {
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
  const unknown = header.filter((heading, index) => heading !== '' && keys[index] === undefined);
  const channels = body.map((row) => {
    let channel = defaults;
    for (const [index, key] of keys.entries()) {
      const text = row[index] ?? '';
      if (key !== undefined && text !== '') channel = setField(channel, key, text, { columns, addressing });
    }
    return complete(channel);
  });
  return { channels, unknown };
}

function findKey(heading: string, columns: readonly ChannelColumn[]): string | undefined {
  const exact = columns.find(({ key }) => key === heading);
  if (exact !== undefined) return exact.key;
  const key = findHeading(heading);
  return key === 'divisor' || columns.some((column) => column.key === key) ? key : undefined;
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
  if (key === 'divisor') {
    const divisor = parseNumber(text);
    return divisor === undefined || divisor === 0 ? channel : setCell(channel, 'valueScale', 1 / divisor);
  }
  if (column === undefined) return channel;
  if (key === 'address.offset' && column.kind === 'NUMBER') return setOffset(channel, text, addressing);
  const plain = text.trim().toLowerCase();
  if (key === 'address.dataType') return setCell(channel, key, toWord(DATA_TYPES, plain, text, column));
  if (key === 'address.table') return setCell(channel, key, toWord(TABLES, plain, text, column));
  if (key === 'name') return setCell(channel, key, text.trim().replaceAll(/[\s#/+,]+/g, '-'));
  if (key === 'type') return setCell(channel, key, toDirection(text) ?? parseCell(text, column));
  if (key === 'valueScale') return setCell(channel, key, readScale(text) ?? parseCell(text, column));
  return setCell(channel, key, parseCell(text, column));
}

function setOffset(channel: Document, text: string, addressing: Addressing): Document {
  // "40012–40013" and "12 / 13" name the first register.
  const [first = ''] = /^(?:0x[0-9a-f]+|\d+)/i.exec(text.trim()) ?? [];
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
  return words.find(([pattern]) => pattern.test(plain))?.[1] ?? text;
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
