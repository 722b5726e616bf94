import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { linkTo, route } from '../../parts/route.ts';
import { SectionLinks } from '../../parts/section-links.tsx';
import { DIAGNOSE } from '../../text/diagnose.ts';
import { fill } from '../../text/fill.ts';
import { RECORD } from '../../text/record.ts';
import type { Text } from '../../text/text.ts';
import type { PageProps } from '../pages.ts';
import { AuditView } from './audit-view.tsx';
import { EventsView } from './events-view.tsx';
import { LogView } from './log-view.tsx';
import { TraceView } from './trace-view.tsx';

interface Section {
  /** Second segment of its link. */
  readonly name: string;
  readonly title: Text;
  readonly permission: string;
  readonly View: () => JSX.Element;
}

const SECTIONS: readonly Section[] = [
  { name: '', title: RECORD.events, permission: 'rest.events', View: EventsView },
  { name: 'audit', title: RECORD.audit, permission: 'rest.admin', View: AuditView },
  { name: 'log', title: DIAGNOSE.log, permission: 'rest.admin', View: LogView },
  { name: 'trace', title: DIAGNOSE.trace, permission: 'rest.configuration', View: TraceView },
];

/** Events, audit log, log of the gateway, and traces of lines. */
export function RecordPage({ title }: PageProps): JSX.Element {
  const { session } = useConsole();
  const sections = SECTIONS.filter(({ permission }) => session.may(permission));
  const wanted = route.value.parts[1] ?? '';
  const section = sections.find(({ name }) => name === wanted) ?? sections[0];
  return (
    <>
      <header>
        <h1>{title}</h1>
        {sections.length > 1 ? (
          <SectionLinks
            label={title}
            sections={sections.map(({ name, title: words }) => ({
              link: linkTo(name === '' ? ['record'] : ['record', name]),
              words: fill(words),
              isHere: name === section?.name,
            }))}
          />
        ) : undefined}
      </header>
      {section === undefined ? undefined : <section.View key={section.name} />}
    </>
  );
}
