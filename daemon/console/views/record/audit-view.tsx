import type { JSX } from 'preact';

import type { AuditEvent } from '../../../interface/security/audit.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { route, setQuery } from '../../parts/route.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { RECORD } from '../../text/record.ts';
import { toCsv } from './audit-export.ts';
import { AuditFilter } from './audit-filter.tsx';
import { readAuditQuery, useAudit } from './use-audit.ts';
import { findPlace } from './audit-place.ts';
import { outcomeOf, showAuditEvent } from './audit-words.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { formatTime } from '../../text/format.ts';
import { SHELL } from '../../text/shell.ts';

/** Audit log: filtered by the gateway, searched on the page. */
export function AuditView(): JSX.Element {
  const { query } = route.value;
  const audit = useAudit(readAuditQuery(query));
  const search = query.get('search') ?? '';
  const { events, error, hasOlder, isLoadingOlder, loadOlder, reload } = audit;
  const outcome = query.get('outcome') ?? '';
  // Routine events are shown at once where they are chosen.
  const isChosen = query.has('event') || outcome === 'CODE_REQUESTED';
  const isAll = isChosen || query.get('all') === 'true';
  const shown = (events ?? []).filter(
    (event) =>
      (isAll || !isRoutine(event)) &&
      (outcome === '' || outcomeOf(event) === outcome) &&
      matches(event, search),
  );
  return (
    <>
      <AuditFilter query={query} />
      <div class="tools record-tools">
        <button type="button" onClick={reload}>
          {fill(RECORD.newest)}
        </button>
        <span class="soft" role="status">
          {events === undefined
            ? ''
            : fill(RECORD.countOf, { shown: shown.length, all: `${events.length}${hasOlder ? '+' : ''}` })}
        </span>
        <span class="soft wide">{fill(RECORD.exported)}</span>
        <button
          type="button"
          disabled={shown.length === 0}
          onClick={() => saveFile('audit.csv', new Blob([toCsv(shown)], { type: 'text/csv;charset=utf-8' }))}
        >
          CSV
        </button>
        <label class="choice">
          <input
            type="checkbox"
            name="all"
            checked={isAll}
            disabled={isChosen}
            onChange={({ currentTarget }) => setQuery('all', currentTarget.checked ? 'true' : '')}
          />{' '}
          {fill(RECORD.everything)}
        </label>
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {events === undefined && error === undefined ? <Outline /> : undefined}
      {events !== undefined && shown.length === 0 ? (
        <p class="soft">{fill(events.length === 0 ? RECORD.noEvents : RECORD.noMatch)}</p>
      ) : undefined}
      {shown.length === 0 ? undefined : <AuditTable events={shown} />}
      <p class="tools">
        {hasOlder ? (
          <button type="button" disabled={isLoadingOlder} onClick={loadOlder}>
            {fill(isLoadingOlder ? RECORD.loadingOlder : RECORD.older)}
          </button>
        ) : (
          <span class="faint">{events === undefined ? '' : fill(RECORD.allLoaded)}</span>
        )}
      </p>
      <p class="faint">{fill(RECORD.evidence)}</p>
    </>
  );
}

const ROUTINE: ReadonlySet<string> = new Set([
  'LOGIN',
  'LOGOUT',
  'TOKEN_ISSUED',
  'TOKEN_REFRESHED',
  'LOCAL_ACCESS',
  'CHANNEL_WRITE_TRIED',
]);

/** True for what happens every day and changes nothing; a failure is no routine. */
function isRoutine(event: AuditEvent): boolean {
  return outcomeOf(event) !== 'FAILURE' && ROUTINE.has(event.event);
}

function matches(event: AuditEvent, search: string): boolean {
  if (search === '') return true;
  const { who, way, what, facts, outcome, code } = showAuditEvent(event);
  const words = [who, way, what, ...facts, outcome, code, event.requestId ?? '', event.target ?? ''];
  return words.join(' ').toLowerCase().includes(search.toLowerCase());
}

/** Table of audit events. */
function AuditTable({ events }: { readonly events: readonly AuditEvent[] }): JSX.Element {
  return (
    <table class="record-table audit-table">
      <thead>
        <tr>
          <th scope="col">{fill(RECORD.time)}</th>
          <th scope="col">{fill(RECORD.who)}</th>
          <th scope="col">{fill(RECORD.what)}</th>
          <th scope="col">{fill(RECORD.outcome)}</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <AuditRow key={event.id} event={event} />
        ))}
      </tbody>
    </table>
  );
}

/** Link to the channel that was written, to the asset of it if there are several, or to the snapshot of a change. */
function PlaceLink({ event }: { readonly event: AuditEvent }): JSX.Element | undefined {
  const place = findPlace(event);
  if (place === undefined) return undefined;
  return (
    <li>
      <a href={place.link}>{place.words}</a>
    </li>
  );
}

/** One line; the rest is folded. */
function AuditRow({ event }: { readonly event: AuditEvent }): JSX.Element {
  const { who, way, what, facts, outcome, code } = showAuditEvent(event);
  const tone = outcomeOf(event) === 'FAILURE' ? 'attention' : 'none';
  const [first, ...others] = facts;
  return (
    <tr>
      <td class="values">{formatTime(event.time)}</td>
      <td>{who}</td>
      <td>
        <details>
          <summary>
            {what} <span class="soft">{first}</span>
            {others.length === 0 ? undefined : (
              <span class="faint"> {fill(RECORD.moreFacts, { count: others.length })}</span>
            )}
          </summary>
          <ul class="code soft">
            {others.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
            <li>{way}</li>
            {code === '' ? undefined : <li>{code}</li>}
            <PlaceLink event={event} />
            {event.requestId === undefined ? undefined : (
              <li>{fill(SHELL.requestId, { id: event.requestId })}</li>
            )}
          </ul>
        </details>
      </td>
      <td>
        <StateWord tone={tone} words={outcome} />
      </td>
    </tr>
  );
}
