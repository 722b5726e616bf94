import { readFileSync } from 'node:fs';
import path from 'node:path';

import { writeAlertTables } from './alert-tables.ts';
import { writeAuditTables } from './audit-tables.ts';
import { writeConformanceTables } from './conformance-tables.ts';
import { writeEnglishMeanings } from './english-meanings.ts';
import { writeErrorTables } from './error-tables.ts';
import { writeOperationTables } from './operation-tables.ts';
import { writeRestTables } from './rest-tables.ts';
import { writeSettingsTables } from './settings-tables.ts';

export const ROOT = path.resolve(import.meta.dirname, '../../..');

/** A page with generated tables, or a file that is one: its path, and its content with the tables as the code has them now. */
export interface GeneratedPage {
  readonly page: string;
  readonly current: string;
  readonly expected: string;
}

const WRITERS: readonly {
  readonly page: string;
  readonly write: () => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
}[] = [
  { page: 'docs/how-to/monitor.md', write: writeAlertTables },
  { page: 'docs/reference/rest-endpoints.md', write: writeRestTables },
  { page: 'docs/reference/audit.md', write: writeAuditTables },
  { page: 'docs/reference/configuration.md', write: writeSettingsTables },
  { page: 'docs/reference/error-codes.md', write: writeErrorTables },
  { page: 'docs/reference/metrics-and-log-events.md', write: writeOperationTables },
  { page: 'docs/reference/sparkplug-conformance.md', write: writeConformanceTables },
];

/** A browser cannot load the codes themselves: they are in modules of the gateway. */
const ENGLISH_MEANINGS = 'daemon/console/text/gateway/english-meanings.json';

/** Compares every generated table with the code. */
export async function generatePages(): Promise<readonly GeneratedPage[]> {
  const pages = await Promise.all(
    WRITERS.map(async ({ page, write }) => {
      const current = readFileSync(path.join(ROOT, page), 'utf8');
      const expected = Object.entries(await write()).reduce(
        (text, [name, table]) => replaceTable({ page, text, name, table }),
        current,
      );
      return { page, current, expected };
    }),
  );
  const current = readFileSync(path.join(ROOT, ENGLISH_MEANINGS), 'utf8');
  return [...pages, { page: ENGLISH_MEANINGS, current, expected: writeEnglishMeanings() }];
}

/** Replaces the text between the markers of a table. */
function replaceTable(options: {
  readonly page: string;
  readonly text: string;
  readonly name: string;
  readonly table: string;
}): string {
  const { page, text, name, table } = options;
  const begin = `<!-- table: ${name} -->`;
  const end = `<!-- end: ${name} -->`;
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${page} has no markers of the table "${name}"`);
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}
