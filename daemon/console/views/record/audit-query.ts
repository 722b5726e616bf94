import { isUtc } from '../../text/format.ts';

/** What of the link the gateway filters by itself. */
const PASSED = ['event', 'outcome', 'identity'] as const;

/**
 * Returns the query for the gateway that a link means; times are in the zone that is shown.
 *
 * What is empty or no time is left out.
 */
export function readAuditQuery(link: URLSearchParams): Readonly<Record<string, string>> {
  const query: Record<string, string> = { limit: '100' };
  for (const name of PASSED) {
    const value = link.get(name) ?? '';
    if (value !== '') query[name] = value;
  }
  for (const name of ['from', 'to'] as const) {
    const ms = Date.parse(`${link.get(name) ?? ''}${isUtc.value ? 'Z' : ''}`);
    if (Number.isFinite(ms) && ms >= 0) query[name] = String(ms);
  }
  return query;
}
