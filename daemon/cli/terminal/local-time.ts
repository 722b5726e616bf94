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
