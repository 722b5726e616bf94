import type { Samples } from './samples.ts';

/** A curve with what was collected of it. */
export interface CollectedCurve {
  readonly asset: string;
  readonly channel: string;
  readonly unit: string;
  readonly samples: Samples;
}

/**
 * Returns what was collected as CSV (RFC 4180): a row a sample with every digit, a row for each begin and end of a gap.
 *
 * @param formatInstant writes a time with its distance from UTC
 */
export function writeCsv(
  curves: readonly CollectedCurve[],
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  formatInstant: (ms: number) => string,
): string {
  const rows: { readonly ms: number; readonly cells: readonly string[] }[] = [];
  const isInside = (ms: number): boolean => ms >= fromMs && ms <= untilMs;
  for (const { asset, channel, unit, samples } of curves) {
    const add = (ms: number, value: string, gap: string): void => {
      if (isInside(ms)) rows.push({ ms, cells: [formatInstant(ms), asset, channel, value, unit, gap] });
    };
    for (let index = 0; index < samples.length; index += 1) {
      add(samples.timeAt(index), samples.textAt(index), '');
    }
    for (const gap of samples.gaps) add(gap.fromMs, '', gap.cause);
  }
  rows.sort((a, b) => a.ms - b.ms);
  const head = ['time', 'asset', 'channel', 'value', 'unit', 'gap'];
  return [head, ...rows.map(({ cells }) => cells)]
    .map((cells) => `${cells.map(quote).join(',')}\r\n`)
    .join('');
}

// A spreadsheet takes a text that begins so for a formula; a number may begin with a minus.
const FORMULA = /^[=+@\t\r]|^-(?!\d)/;

function quote(cell: string): string {
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes a time in ISO 8601 with milliseconds and its distance from UTC. */
export function writeInstant(ms: number, isUtc: boolean): string {
  if (isUtc) return new Date(ms).toISOString();
  const offset = -new Date(ms).getTimezoneOffset();
  const two = (value: number): string => String(value).padStart(2, '0');
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
