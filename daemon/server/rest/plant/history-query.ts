import { HISTORY_AGGREGATES } from '../../../interface/plant/history.ts';
import type { readHistory } from '../../../interface/plant/history.ts';
import type { QueryOf } from '../../../interface/endpoint.ts';
import type { HistoryQuery } from '../../../plant/history/history-query.ts';
import { createQueryRefusal, splitList } from '../../http/query.ts';

const DEFAULT_SPAN_MS = 3_600_000;
// The latest time of a Date (ECMAScript, 21.4.1.1).
const MAXIMUM_MS = 8_640_000_000_000_000;
const INTEGER = /^-?\d{1,16}$/;
// RFC 3339, 5.6, without seconds if they are zero. In a query, "+" is a space.
const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:(Z)|([+ -])(\d{2}:\d{2}))$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The part of a query for recorded samples that does not depend on rights. */
export interface HistoryParameters extends Omit<HistoryQuery, 'asset' | 'channels'> {
  /** Undefined: every channel. */
  readonly names: readonly string[] | undefined;
}

/**
 * Parses the query of a request for recorded samples.
 *
 * @throws {InvalidRequest} `QUERY_INVALID`; unknown names of channels are not checked
 */
export function parseHistoryQuery(query: QueryOf<typeof readHistory>, nowMs: number): HistoryParameters {
  const { channels, limit, bucketMs, aggregate } = query;
  const names = splitList('channels', channels, 'a name');
  const toMs = query.to === undefined ? nowMs : parseTime('to', query.to);
  const fromMs = query.from === undefined ? toMs - DEFAULT_SPAN_MS : parseTime('from', query.from);
  if (fromMs > toMs) throw createQueryRefusal('"from" is later than "to"');
  if (bucketMs === undefined) {
    if (aggregate !== undefined) throw createQueryRefusal('"aggregate" needs "bucketMs"');
    return { names, fromMs, toMs, limit };
  }
  return { names, fromMs, toMs, limit, buckets: { bucketMs, aggregate: aggregate ?? HISTORY_AGGREGATES[0] } };
}

function parseTime(parameter: string, text: string): number {
  const [, local, zulu, sign = '', offset = ''] = MOMENT.exec(text) ?? [];
  let timeMs = NaN;
  if (INTEGER.test(text)) timeMs = Number(text);
  else if (DAY.test(text)) timeMs = Date.parse(text);
  else if (local !== undefined)
    timeMs = Date.parse(`${local}${zulu === undefined ? `${sign.replace(' ', '+')}${offset}` : 'Z'}`);
  if (Math.abs(timeMs) <= MAXIMUM_MS) return Math.floor(timeMs);
  const shown = JSON.stringify(text.slice(0, 40));
  throw createQueryRefusal(
    `"${parameter}": ${shown} is neither milliseconds since 1970 nor a time such as 2026-03-01T08:00:00Z`,
  );
}
