import { mapInSlices } from '../../base/slices.ts';
import type { Slices } from '../../base/slices.ts';
import type { Store } from '../../base/store/store.ts';
import { IDENTITY_LENGTH } from './audit-event.ts';
import { toEvent } from './audit-row.ts';
import type { AuditFilter, AuditPage } from './audit-store.ts';
import { toSafeText } from './safe-text.ts';

// About a millisecond where no index serves the filter.
const IDS_OF_STEP = 10_000;

/**
 * Searches events, newest first, one range of ids at a time: a query that reads every event would make all requests wait.
 *
 * @returns those that were stored when the search reached their range
 * @throws {StoreError} `STORE_DAMAGED` if a found event is invalid
 */
export function* searchEvents(
  { database }: Store,
  { limit, before, ...filter }: AuditFilter,
): Slices<AuditPage> {
  const conditions = toConditions(filter);
  const terms = ['id < ?', 'id >= ?', ...conditions.map(({ term }) => term)].join(' AND ');
  const values = conditions.map(({ value }) => value);
  const search = database.prepare(`SELECT * FROM audit_event WHERE ${terms} ORDER BY id DESC LIMIT ?`);
  // Retention leaves wide ranges without events.
  const findNewest = database.prepare('SELECT max(id) AS id FROM audit_event WHERE id < ?');
  // One row more than requested shows whether there is a next page.
  const wanted = limit + 1;
  const rows: Record<string, unknown>[] = [];
  for (let end = before ?? Number.MAX_SAFE_INTEGER; ;) {
    const newest = findNewest.get(end)?.['id'];
    if (typeof newest !== 'number') break;
    const start = newest + 1 - IDS_OF_STEP;
    rows.push(...search.all(newest + 1, start, ...values, wanted - rows.length));
    if (rows.length === wanted) break;
    end = start;
    yield;
  }
  const events = yield* mapInSlices(rows.slice(0, limit), toEvent);
  return rows.length > limit ? { events, next: events.at(-1)?.id } : { events };
}

interface Condition {
  readonly term: string;
  readonly value: string | number;
}

// The sign keeps SQLite from an index that serves only part of the filter: it would visit the whole store in each step.
function toConditions(filter: Omit<AuditFilter, 'limit' | 'before'>): readonly Condition[] {
  const { event, outcome, identity, fromMs, toMs } = filter;
  const wanted = [
    { term: 'event = ?', value: event },
    { term: '+outcome = ?', value: outcome },
    // Names are stored in this form.
    {
      term: '+identity = ?',
      value: identity === undefined ? undefined : toSafeText(identity, IDENTITY_LENGTH),
    },
    { term: 'time_ms >= ?', value: fromMs },
    { term: 'time_ms < ?', value: toMs },
  ];
  return wanted.flatMap(({ term, value }) => (value === undefined ? [] : [{ term, value }]));
}
