import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { linkTo, route } from '../../parts/route.ts';
import { fill } from '../../text/fill.ts';
import { RECORD } from '../../text/record.ts';
import type { PageProps } from '../pages.ts';
import { AuditView } from './audit-view.tsx';
import { EventsView } from './events-view.tsx';

/** Events and audit log. */
export function RecordPage({ title }: PageProps): JSX.Element {
  const { session } = useConsole();
  const maySeeEvents = session.may('rest.events');
  const maySeeAudit = session.may('rest.admin');
  const isAudit = route.value.parts[1] === 'audit' || !maySeeEvents;
  return (
    <>
      <header>
        <h1>{title}</h1>
        {maySeeEvents && maySeeAudit ? (
          <nav class="sections" aria-label={title}>
            <a href={linkTo(['record'])} aria-current={isAudit ? undefined : 'page'}>
              {fill(RECORD.events)}
            </a>
            <a href={linkTo(['record', 'audit'])} aria-current={isAudit ? 'page' : undefined}>
              {fill(RECORD.audit)}
            </a>
          </nav>
        ) : undefined}
      </header>
      {isAudit && maySeeAudit ? <AuditView /> : <EventsView />}
    </>
  );
}
