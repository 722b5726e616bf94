import { BASE_CODES } from '../../../daemon/base/error-codes.ts';
import type { DeclaredCode } from '../../../daemon/base/error-codes.ts';
import { PLANT_CODES } from '../../../daemon/channel/error-codes.ts';
import { CLI_CODES } from '../../../daemon/cli/error-codes.ts';
import { FINDING_SENTENCES } from '../../../daemon/interface/finding-sentences.ts';
import { MACHINE_CODES } from '../../../daemon/machine/service/error-codes.ts';
import { SECURITY_CODES } from '../../../daemon/security/identity/error-codes.ts';
import { SERVER_CODES } from '../../../daemon/server/http/error-codes.ts';
import { SETTINGS_CODES } from '../../../daemon/settings/error-codes.ts';
import { SOFTWARE_CODES } from '../../../daemon/software/bundle/error-codes.ts';
import { LINK_CODES } from '../../../drivers/link/error-codes.ts';
import { MODBUS_CODES } from '../../../drivers/modbus/error-codes.ts';
import { OPCUA_CODES } from '../../../drivers/opcua/error-codes.ts';
import { SERIAL_CODES } from '../../../drivers/serial/error-codes.ts';
import {
  listFailureSentences,
  listFaultSentences,
  listScanSentences,
  listTraceSentences,
} from './fault-sentences.ts';
import { formatTable } from './markdown.ts';

/** A table of error codes, with the section of the page for codes that no rule of `SECTIONS` names. */
interface CodeTable {
  readonly codes: Readonly<Record<string, DeclaredCode>>;
  readonly section: string;
}

/** Every table of error codes. */
export const CODE_TABLES: readonly CodeTable[] = [
  { codes: BASE_CODES, section: 'Stores' },
  { codes: SOFTWARE_CODES, section: 'Bundles' },
  { codes: PLANT_CODES, section: 'Channels' },
  { codes: CLI_CODES, section: 'Requests' },
  { codes: SERVER_CODES, section: 'Requests' },
  { codes: SECURITY_CODES, section: 'Tokens' },
  { codes: MACHINE_CODES, section: 'Requests' },
  { codes: SETTINGS_CODES, section: 'Requests' },
  { codes: LINK_CODES, section: 'Connections' },
  { codes: MODBUS_CODES, section: 'Modbus' },
  { codes: OPCUA_CODES, section: 'OPC UA' },
  { codes: SERIAL_CODES, section: 'Serial instruments' },
];

/** Sections of the page by the names of their codes; the first match counts. */
const SECTIONS: readonly (readonly [section: string, names: RegExp])[] = [
  ['Stores', /^(?:STORE_(?:DAMAGED|FAILED|FULL|UNAVAILABLE)|INTERRUPTED)$/],
  ['Modbus', /^MODBUS_/],
  ['OPC UA', /^OPCUA_/],
  ['Serial instruments', /^SERIAL_/],
  ['Bundles', /^(?:BUNDLE_(?!NOT_RUNNING|UNKNOWN)|DRIVER_TYPES?_|METHOD_UNKNOWN|PROVIDERS_|SCHEMA_)/],
  ['Connections', /^(?:ADDRESS_REFUSED|BUNDLE_NOT_RUNNING|CONNECT|DEADLINE_EXCEEDED|NOT_CONNECTED|SECRET_)/],
  ['Connections', /^DRIVER_(?!UNKNOWN)/],
  ['Requests', /^(?:PACKAGE_(?:TOO_LARGE|UNKNOWN)|SCAN_FAILED|SIGNING_KEY_CONFIGURED|VALUE_UNPARSABLE)$/],
  ['Packages', /^PACKAGE_/],
  ['Tokens', /^TOKEN_/],
  ['Channels', /^(?:VALUE_|WRITE_)/],
];

/** Returns the tables of error codes by the section of the page that shows them. */
export async function writeErrorTables(): Promise<Readonly<Record<string, string>>> {
  const sections = new Map<string, (readonly [string, DeclaredCode])[]>();
  for (const { codes, section } of CODE_TABLES)
    for (const [code, declared] of Object.entries(codes)) {
      if (declared.internal !== undefined) continue;
      const name = findSection(code, declared) ?? section;
      sections.set(name, [...(sections.get(name) ?? []), [code, declared]]);
    }
  const tables = [...sections].map(([section, codes]) => [section, writeSection(codes)] as const);
  return Object.fromEntries([
    ...tables,
    ['Findings', writeFindings()],
    ['Faults', writeSentences(await listFaultSentences())],
    ['Scans', writeSentences(await listScanSentences())],
    ['Failures', writeSentences(await listFailureSentences())],
    ['Traces', writeSentences(await listTraceSentences())],
  ]);
}

function writeFindings(): string {
  const rows = Object.entries(FINDING_SENTENCES).map(([code, sentence]) => [
    `\`${code}\``,
    sentence.replaceAll('&}', '}'),
  ]);
  return formatTable({ headings: ['code', 'sentence'], rows });
}

function writeSentences(sentences: Awaited<ReturnType<typeof listFaultSentences>>): string {
  const rows = sentences
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, sentence]) => [`\`${code}\``, sentence.replaceAll('<', '\\<')]);
  return formatTable({ headings: ['code', 'sentence'], rows });
}

function findSection(code: string, { status }: DeclaredCode): string | undefined {
  const [section] = SECTIONS.find(([, names]) => names.test(code)) ?? [];
  return section ?? (status === undefined ? undefined : 'Requests');
}

/** Writes the codes of a section in alphabetical order; a section without statuses has no column for them. */
function writeSection(codes: readonly (readonly [string, DeclaredCode])[]): string {
  const headings = ['code', 'status', 'meaning', 'what to do'];
  const rows = codes
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, declared]) => [
      `\`${code}\``,
      [declared.status ?? []].flat().join(', '),
      declared.meaning,
      declared.internal === undefined ? declared.remedy : '',
    ]);
  const hasStatus = rows.some(([, status]) => status !== '');
  const cut = (row: readonly string[]): readonly string[] => (hasStatus ? row : row.toSpliced(1, 1));
  return formatTable({ headings: cut(headings), rows: rows.map(cut) });
}
