import { readFileSync } from 'node:fs';
import path from 'node:path';

import { AUDIT_EVENTS } from '../../../daemon/interface/security/audit-event.ts';
import { formatTable } from './markdown.ts';

const SOURCE = path.resolve(import.meta.dirname, '../../../daemon/interface/security/audit-event.ts');
const DOCUMENTED_EVENT = /^ {2}\/\*\*([^]*?)\*\/\n {2}'(\w+)',$/gm;

/** Returns the table of audit events, with the comment of each as its meaning. */
export function writeAuditTables(): Readonly<Record<string, string>> {
  const meanings = new Map(
    [...readFileSync(SOURCE, 'utf8').matchAll(DOCUMENTED_EVENT)].map(([, comment = '', event = '']) => [
      event,
      comment
        .replaceAll(/^ +\* /gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ]),
  );
  const rows = AUDIT_EVENTS.map((event) => {
    const meaning = meanings.get(event);
    if (meaning === undefined) throw new Error(`${event} has no comment in ${SOURCE}`);
    return [`\`${event}\``, meaning];
  });
  return { events: formatTable({ headings: ['event', 'recorded when'], rows }) };
}
