import { formatCsv } from '../../../base/text/csv.ts';
import { formatValue } from '../../../channel/value-json.ts';
import type { ChannelValue, ValueType } from '../../../channel/value-type.ts';
import type { HistoryRow } from '../../../plant/history/history-query.ts';
import { formatCell } from './tag-sheet-cell.ts';

/** Media types of recorded samples; the first one is the default. */
export const HISTORY_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;

/** Writes rows as text, in pieces. */
export interface HistoryWriter {
  /** Value of the field Content-Type. */
  readonly type: string;
  /** True if gaps come after all other rows. */
  readonly hasGapsLast: boolean;
  begin(): string;
  write(rows: readonly HistoryRow[]): string;
  end(): string;
}

/** Creates the writer of a media type. */
export function createHistoryWriter(type: string | undefined, isBuckets: boolean): HistoryWriter {
  if (type === 'application/x-ndjson') return createLineWriter();
  return type === 'text/csv' ? createCsvWriter(isBuckets) : createJsonWriter(isBuckets);
}

function createJsonWriter(isBuckets: boolean): HistoryWriter {
  const [members, end] = [createMembers(), { next: '' }];
  let isInGaps = false;
  let separator = '';
  return {
    type: 'application/json',
    hasGapsLast: true,
    begin: () => (isBuckets ? '{"buckets":[' : '{"samples":['),
    write(rows) {
      let text = '';
      for (const row of rows) {
        if (row.type === 'NEXT') {
          end.next = `,"next":${row.fromMs}`;
          continue;
        }
        if (row.type === 'GAP' && !isInGaps) {
          text += '],"gaps":[';
          isInGaps = true;
          separator = '';
        }
        text += `${separator}{${members(row)}}`;
        separator = ',';
      }
      return text;
    },
    end: () => `${isInGaps ? '' : '],"gaps":['}]${end.next}}`,
  };
}

function createLineWriter(): HistoryWriter {
  const members = createMembers();
  return {
    type: 'application/x-ndjson',
    hasGapsLast: false,
    begin: () => '',
    write: (rows) => rows.map((row) => `{"type":"${row.type}",${members(row)}}\n`).join(''),
    end: () => '',
  };
}

/** Returns a function that writes the members of a row. */
function createMembers(): (row: HistoryRow) => string {
  const names = new Map<string, string>();
  const nameOf = (channel: string): string => {
    let text = names.get(channel);
    if (text === undefined) {
      text = `"channel":${JSON.stringify(channel)}`;
      names.set(channel, text);
    }
    return text;
  };
  return (row) => {
    switch (row.type) {
      case 'SAMPLE': {
        const { series, timestampMs, value, quality, status } = row.sample;
        const head = `${nameOf(series.channel)},"timestamp":${timestampMs}${valueMember(series.valueType, value)}`;
        const tail = status === undefined ? '' : `,"status":${JSON.stringify(status)}`;
        return `${head},"quality":"${quality}"${tail}`;
      }
      case 'BUCKET': {
        const { channel, fromMs, valueType, value, count, good } = row.bucket;
        return `${nameOf(channel)},"from":${fromMs}${valueMember(valueType, value)},"count":${count},"good":${good}`;
      }
      case 'GAP': {
        const { channel, fromMs, toMs, count, reason } = row.gap;
        const name = channel === undefined ? '' : `${nameOf(channel)},`;
        return `${name}"from":${fromMs},"to":${toMs},"count":${count},"reason":"${reason}"`;
      }
      case 'NEXT':
        return `"next":${row.fromMs}`;
    }
  };
}

function valueMember(valueType: ValueType, value: ChannelValue | undefined): string {
  return value === undefined ? '' : `,"value":${formatValue(valueType, value)}`;
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
      const { series, timestampMs, value, quality, status } = row.sample;
      const cell = value === undefined ? '' : toCell(series.valueType, value);
      return [
        [
          toIso(timestampMs),
          toText(series.channel),
          cell,
          quality,
          status === undefined ? '' : toText(status),
        ],
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
