import { formatCsv } from '../../../base/text/csv.ts';
import { formatValue } from '../../../channel/value-json.ts';
import type { ChannelValue, ValueType } from '../../../channel/value-type.ts';
import type { HistoryRow } from '../../../plant/history/history-query.ts';
import type { SampleRow } from '../../../plant/history/sample-order.ts';
import { JsonWriter } from '../json-writer.ts';
import { writeValue } from '../value-writer.ts';
import { formatCell } from './tag-sheet-cell.ts';

/** Media types of recorded samples; the first one is the default. */
export const HISTORY_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;

/** Writes rows, in pieces. */
export interface HistoryWriter {
  /** Value of the field Content-Type. */
  readonly type: string;
  /** True if gaps come after all other rows. */
  readonly hasGapsLast: boolean;
  begin(): string;
  write(rows: readonly HistoryRow[]): string | Buffer;
  end(): string;
}

// What the first piece is likely to need; later ones are as those before them.
const ROW_BYTES = 100;
const SPARE_BYTES = 256;

/** Creates the writer of a media type. */
export function createHistoryWriter(type: string | undefined, isBuckets: boolean): HistoryWriter {
  if (type === 'application/x-ndjson') return createLineWriter();
  return type === 'text/csv' ? createCsvWriter(isBuckets) : createJsonWriter(isBuckets);
}

function createJsonWriter(isBuckets: boolean): HistoryWriter {
  const writeRow = createRowWriter({ open: () => '{', close: '}' });
  const writePiece = createPieces();
  let next = '';
  let isInGaps = false;
  let separator = '';
  return {
    type: 'application/json',
    hasGapsLast: true,
    begin: () => (isBuckets ? '{"buckets":[' : '{"samples":['),
    write: (rows) =>
      writePiece(rows, (writer, row) => {
        if (row.type === 'NEXT') {
          next = `,"next":${row.fromMs}`;
          return;
        }
        if (row.type === 'GAP' && !isInGaps) {
          writer.text('],"gaps":[');
          isInGaps = true;
          separator = '';
        }
        writer.text(separator);
        writeRow(writer, row);
        separator = ',';
      }),
    end: () => `${isInGaps ? '' : '],"gaps":['}]${next}}`,
  };
}

function createLineWriter(): HistoryWriter {
  const writeRow = createRowWriter({ open: (type) => `{"type":"${type}",`, close: '}\n' });
  const writePiece = createPieces();
  return {
    type: 'application/x-ndjson',
    hasGapsLast: false,
    begin: () => '',
    write: (rows) => writePiece(rows, writeRow),
    end: () => '',
  };
}

type WriteRow = (writer: JsonWriter, row: HistoryRow) => void;

/** Returns a function that writes rows one after another into the bytes of a piece. */
function createPieces(): (rows: readonly HistoryRow[], writeRow: WriteRow) => Buffer {
  let rowBytes = ROW_BYTES;
  return (rows, writeRow) => {
    const writer = new JsonWriter(Math.ceil(rows.length * rowBytes) + SPARE_BYTES);
    for (const row of rows) writeRow(writer, row);
    const bytes = writer.finish();
    if (rows.length > 0) rowBytes = bytes.length / rows.length;
    return bytes;
  };
}

/** How the text of each row begins and ends. */
interface RowFrame {
  readonly open: (type: HistoryRow['type']) => string;
  readonly close: string;
}

/** Returns a function that writes a row: prepared text around numbers. */
function createRowWriter({ open, close }: RowFrame): WriteRow {
  const nameOf = (channel: string): string => `"channel":${JSON.stringify(channel)},`;
  const headOfSample = createBytes((channel: string) => `${open('SAMPLE')}${nameOf(channel)}"timestamp":`);
  const headOfBucket = createBytes((channel: string) => `${open('BUCKET')}${nameOf(channel)}"from":`);
  const tailOf = createBytes(({ quality, status }: SampleRow['tag']) => {
    const member = status === undefined ? '' : `,"status":${JSON.stringify(status)}`;
    return `,"quality":"${quality}"${member}${close}`;
  });
  return (writer, row) => {
    switch (row.type) {
      case 'SAMPLE': {
        const { series, timeMs, value, tag } = row;
        writer.bytes(headOfSample(series.channel));
        writer.number(timeMs);
        writeValueMember(writer, series.valueType, value);
        writer.bytes(tailOf(tag));
        break;
      }
      case 'BUCKET': {
        const { channel, fromMs, valueType, value, count, good } = row.bucket;
        writer.bytes(headOfBucket(channel));
        writer.number(fromMs);
        writeValueMember(writer, valueType, value);
        writer.text(`,"count":${count},"good":${good}${close}`);
        break;
      }
      case 'GAP': {
        const { channel, fromMs, toMs, count, reason } = row.gap;
        const name = channel === undefined ? '' : nameOf(channel);
        const members = `"from":${fromMs},"to":${toMs},"count":${count},"reason":"${reason}"`;
        writer.text(`${open('GAP')}${name}${members}${close}`);
        break;
      }
      case 'NEXT':
        writer.text(`${open('NEXT')}"next":${row.fromMs}${close}`);
    }
  };
}

/** Returns a function that makes bytes of a text, or returns those of the last call with the same key. */
function createBytes<Key>(describe: (key: Key) => string): (key: Key) => Uint8Array {
  let last: { readonly key: Key; readonly bytes: Uint8Array } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, bytes: Buffer.from(describe(key)) };
    return last.bytes;
  };
}

function writeValueMember(writer: JsonWriter, valueType: ValueType, value: ChannelValue | undefined): void {
  if (value === undefined) return;
  writer.text(',"value":');
  writeValue(writer, valueType, value);
}

const TEXT: ReadonlySet<string> = new Set(['string']);

function createCsvWriter(isBuckets: boolean): HistoryWriter {
  const head = isBuckets
    ? ['timestamp', 'channel', 'value', 'count', 'good', 'status']
    : ['timestamp', 'channel', 'value', 'quality', 'status'];
  return {
    // RFC 4180, 3: whether the first row is a header is for the type to say.
    type: 'text/csv; charset=utf-8; header=present',
    hasGapsLast: false,
    begin: () => formatCsv([head]),
    write: (rows) => formatCsv(rows.flatMap((row) => toCsvRow(row, isBuckets))),
    end: () => '',
  };
}

/** Returns no row for the beginning of the next page: it is the time after that of the last row. */
function toCsvRow(row: HistoryRow, isBuckets: boolean): readonly (readonly string[])[] {
  switch (row.type) {
    case 'SAMPLE': {
      const { series, timeMs, value, tag } = row;
      const { quality, status } = tag;
      const cell = value === undefined ? '' : toCell(series.valueType, value);
      return [
        [toIso(timeMs), toText(series.channel), cell, quality, status === undefined ? '' : toText(status)],
      ];
    }
    case 'BUCKET': {
      const { channel, fromMs, value, valueType, count, good } = row.bucket;
      const cell = value === undefined ? '' : toCell(valueType, value);
      return [[toIso(fromMs), toText(channel), cell, String(count), String(good), '']];
    }
    case 'GAP': {
      const { channel, fromMs, reason } = row.gap;
      const name = channel === undefined ? '' : toText(channel);
      const middle = isBuckets ? ['', '', ''] : ['', ''];
      return [[toIso(fromMs), name, ...middle, reason]];
    }
    case 'NEXT':
      return [];
  }
}

function toCell(valueType: ValueType, value: ChannelValue): string {
  if (typeof value === 'string') return toText(value);
  const text = formatValue(valueType, value);
  // Bytes and numbers that JSON does not have are texts.
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** Writes a text so that no spreadsheet takes it for a formula. */
function toText(text: string): string {
  return formatCell(text, TEXT);
}

function toIso(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '+00:00');
}
