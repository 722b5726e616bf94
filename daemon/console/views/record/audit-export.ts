import type { AuditEvent } from '../../../interface/security/audit.ts';

const COLUMNS = [
  'id',
  'time',
  'event',
  'outcome',
  'identity',
  'method',
  'address',
  'requestId',
  'target',
] as const satisfies readonly (keyof AuditEvent)[];

/** Returns events as CSV (RFC 4180) with times in UTC; further details are JSON in the last column. */
export function toCsv(events: readonly AuditEvent[]): string {
  const rows = events.map((event) => [
    ...COLUMNS.map((name) =>
      name === 'time' ? new Date(event.time).toISOString() : String(event[name] ?? ''),
    ),
    event.detail === undefined ? '' : JSON.stringify(event.detail),
  ]);
  return [[...COLUMNS, 'detail'], ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

// Spreadsheets read cells with such a start as formulas, and some values come from clients.
const FORMULA = /^[=+\-@\t\r]/;

function toCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
