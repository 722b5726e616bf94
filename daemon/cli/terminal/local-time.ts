import { UsageError } from '../command-error.ts';

/**
 * Formats a time in the time zone of this machine: `2026-11-22 20:52:21`.
 *
 * @param epochMs milliseconds since the epoch
 */
export function formatLocalTime(epochMs: number): string {
  const moment = new Date(epochMs);
  if (Number.isNaN(moment.getTime())) return String(epochMs);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
  return `${day} ${[moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':')}`;
}

/**
 * Parses the time of an option: milliseconds since the epoch, or date and time, in the time zone of this machine unless it has an
 * offset.
 *
 * @param option its name without dashes
 * @returns milliseconds since the epoch as text
 * @throws {UsageError} for anything else
 */
export function parseLocalTime(option: string, text: string): string {
  if (/^\d+$/.test(text)) return text;
  // ECMAScript (21.4.1.32) takes a date without time for UTC.
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text.replace(' ', 'T');
  const epochMs = Date.parse(moment);
  if (Number.isNaN(epochMs)) {
    throw new UsageError(`--${option} "${text}": expected a time such as "2026-03-01 08:00"`);
  }
  return String(epochMs);
}
