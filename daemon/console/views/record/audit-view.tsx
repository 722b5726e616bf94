import type { JSX } from 'preact';

import type { AuditEvent } from '../../../interface/audit.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { route } from '../../parts/route.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { RECORD } from '../../text/record.ts';
import { toCsv, toJsonLines } from './audit-export.ts';
import { AuditFilter } from './audit-filter.tsx';
import { readAuditQuery } from './audit-query.ts';
import { AuditTable } from './audit-table.tsx';
import { showAuditEvent } from './audit-words.ts';
import { useAudit } from './use-audit.ts';

/** Who did what: found by the gateway, searched by words on the page. */
export function AuditView(): JSX.Element {
  const { query } = route.value;
  const audit = useAudit(readAuditQuery(query));
  const search = query.get('search') ?? '';
  const { events, error, hasOlder, isLoadingOlder, loadOlder, reload } = audit;
  const shown = (events ?? []).filter((event) => matches(event, search));
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
        <span class="soft">{fill(RECORD.exported)}</span>
        <button
          type="button"
          disabled={shown.length === 0}
          onClick={() =>
            saveFile('audit.jsonl', new Blob([toJsonLines(shown)], { type: 'application/jsonl' }))
          }
        >
          JSON Lines
        </button>
        <button
          type="button"
          disabled={shown.length === 0}
          onClick={() => saveFile('audit.csv', new Blob([toCsv(shown)], { type: 'text/csv;charset=utf-8' }))}
        >
          CSV
        </button>
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

function matches(event: AuditEvent, search: string): boolean {
  if (search === '') return true;
  const { who, way, what, facts, outcome } = showAuditEvent(event);
  const words = [who, way, what, ...facts, outcome, event.requestId ?? '', event.target ?? ''];
  return words.join(' ').toLowerCase().includes(search.toLowerCase());
}
