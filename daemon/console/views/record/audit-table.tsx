import type { JSX } from 'preact';

import type { AuditEvent } from '../../../interface/audit.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';
import { RECORD } from '../../text/record.ts';
import { SHELL } from '../../text/shell.ts';
import { showAuditEvent } from './audit-words.ts';

/** Recorded events in words. */
export function AuditTable({ events }: { readonly events: readonly AuditEvent[] }): JSX.Element {
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

function AuditRow({ event }: { readonly event: AuditEvent }): JSX.Element {
  const { who, way, what, facts, outcome } = showAuditEvent(event);
  const tone = event.outcome === 'SUCCESS' ? 'none' : 'attention';
  return (
    <tr>
      <td class="values">{formatTime(event.time)}</td>
      <td>
        {who}
        <div class="faint">{way}</div>
      </td>
      <td>
        {what}
        <ul class="values soft">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      </td>
      <td>
        <StateWord tone={tone} words={outcome} />
        {event.requestId === undefined ? undefined : (
          <div class="values faint">{fill(SHELL.requestId, { id: event.requestId })}</div>
        )}
      </td>
    </tr>
  );
}
