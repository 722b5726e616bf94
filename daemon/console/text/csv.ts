/** Returns rows as CSV (RFC 4180). */
export function writeCsvRows(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');
}

// Spreadsheets read texts with such a start as formulas; numbers can start with a minus.
const FORMULA = /^[=+@\t\r]|^-(?!\d)/;

function quote(cell: string): string {
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Formats a time in ISO 8601 with milliseconds and UTC offset. */
export function writeInstant(ms: number, isUtc: boolean): string {
  if (isUtc) return new Date(ms).toISOString();
  const offset = -new Date(ms).getTimezoneOffset();
  const two = (value: number): string => String(value).padStart(2, '0');
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
