const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a moment as people write it: a span before now (`30m`, `2h`, `7d`), `today`, `yesterday`, or a date with or without
 * a time. Without an offset it is that of this machine.
 *
 * @returns milliseconds since the epoch; undefined if it is none of them
 */
export function readMoment(text: string, nowMs: number): number | undefined {
  const [, amount, unit = ''] = /^-?(\d{1,9}) ?([smhd])$/.exec(text.trim()) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (UNIT_MS[unit] ?? 0);
  if (text === 'today' || text === 'yesterday') {
    const day = new Date(nowMs);
    day.setHours(0, 0, 0, 0);
    if (text === 'yesterday') day.setDate(day.getDate() - 1);
    return day.getTime();
  }
  const [, date, time = '00:00'] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(text.trim()) ?? [];
  if (date === undefined) return undefined;
  const momentMs = new Date(`${date}T${time}`).getTime();
  return Number.isNaN(momentMs) ? undefined : momentMs;
}
