import { isIP } from 'node:net';
import { hostname } from 'node:os';

import type { KeyPair } from '../certificate/certificate-maker.ts';
import { AuthorityDirectory } from './authority-directory.ts';
import type { CertificateRecord } from './authority-directory.ts';
import { chooseForm, writeCertificate } from './certificate-form.ts';
import type { FormOptions } from './certificate-form.ts';
import { updateInstalledList } from './setup/installed-list.ts';
import { formatTable } from './table.ts';
import { UsageError } from './command-error.ts';
import { parseCommand } from './command-line.ts';
import type { Terminal, Verb } from './verb.ts';

const DEFAULT_DIRECTORY = '/etc/penstock/ca';

const USAGE = `Usage:
  penstock certificate init [NAME]
      creates a private certificate authority
  penstock certificate issue IDENTITY
      issues a client certificate for an identity: IDENTITY.crt and
      IDENTITY.key, or IDENTITY.p12
  penstock certificate renew IDENTITY
      issues a new certificate and revokes the previous ones
  penstock certificate server NAME...
      issues a certificate for the gateway under these host names and
      addresses: server.crt and server.key
  penstock certificate revoke IDENTITY|SERIAL
      revokes certificates and writes the revocation list
  penstock certificate list
      lists the issued certificates

Options:
  --authority FOLDER     folder of the authority (default ${DEFAULT_DIRECTORY})
  --output FOLDER        folder of the new files (default: current folder)
  --format pem|pkcs12    two PEM files, or one PKCS #12 file under a password
                         with key, certificate and authority (default pem)
  --password-file FILE   reads that password from a file
  --days N               days of validity (default 825)
  --json                 print the list as JSON

Name the authority in penstock.yaml:
  tls:
    clientCertificateAuthoritiesFile: ${DEFAULT_DIRECTORY}/ca.crt
    certificateRevocationListFile: ${DEFAULT_DIRECTORY}/ca.crl
`;

const OPTIONS = {
  authority: { type: 'string', default: DEFAULT_DIRECTORY },
  output: { type: 'string', default: '.' },
  format: { type: 'string', default: 'pem' },
  'password-file': { type: 'string' },
  days: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

interface Invocation {
  readonly authority: AuthorityDirectory;
  readonly words: readonly string[];
  readonly form: FormOptions;
  readonly days: number | undefined;
  readonly isJson: boolean;
  readonly terminal: Terminal;
}

/** Runs a small certificate authority for the clients of the gateway. */
export const certificate: Verb = {
  name: 'certificate',
  summary: 'makes an authority; issues, renews and revokes certificates',
  usage: USAGE,
  async run(parameters, terminal) {
    const [word = '', ...rest] = parameters;
    const command = COMMANDS[word];
    if (command === undefined)
      throw new UsageError(word === '' ? 'a command is missing' : `unknown command ${word}`);
    const { values, words } = parseCommand(rest, OPTIONS);
    const { authority, days, json, ...form } = values as unknown as FormOptions & {
      readonly authority: string;
      readonly days?: string;
      readonly json: boolean;
    };
    await command({
      authority: new AuthorityDirectory(authority),
      words,
      form,
      days: parseDays(days),
      isJson: json,
      terminal,
    });
  },
};

const COMMANDS: Readonly<Record<string, (invocation: Invocation) => Promise<void>>> = {
  async init({ authority, words, terminal }) {
    const [name = `Penstock authority of ${hostname()}`] = words;
    await authority.create(name);
    terminal.print(`${authority.certificateFile}\n${authority.revocationListFile}\n`);
  },
  async issue(invocation) {
    await issueClient(invocation, getOnly(invocation.words, 'IDENTITY'));
  },
  async renew(invocation) {
    const name = getOnly(invocation.words, 'IDENTITY');
    const { authority } = invocation;
    const previous = (await authority.list()).filter(
      (record) => record.name === name && record.revokedAtMs === undefined,
    );
    await issueClient(invocation, name);
    // Revoked last: a failure before leaves a certificate that works.
    for (const { serialNumber } of previous) await authority.revoke(serialNumber);
    await updateInstalledList(authority);
  },
  async server(invocation) {
    const { authority, words, days } = invocation;
    if (words.length === 0) throw new UsageError('NAME is missing');
    const addresses = words.filter((word) => isIP(word) !== 0);
    const hostNames = words.filter((word) => isIP(word) === 0);
    await issue(invocation, 'server', () => authority.issueServer({ hostNames, addresses }, days));
  },
  async revoke({ authority, words, terminal }) {
    const revoked = await authority.revoke(getOnly(words, 'IDENTITY or SERIAL'));
    terminal.print(formatRecords(revoked));
    const installed = await updateInstalledList(authority);
    const file = installed ?? authority.revocationListFile;
    terminal.note(`a gateway that uses ${file} reads the new list by itself\n`);
  },
  async list({ authority, isJson, terminal }) {
    const records = await authority.list();
    terminal.print(isJson ? `${JSON.stringify(records, null, 2)}\n` : formatRecords(records));
  },
};

async function issueClient(invocation: Invocation, name: string): Promise<void> {
  const fileName = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  const { authority, days } = invocation;
  await issue(invocation, fileName, () => authority.issueClient(name, days));
}

async function issue(invocation: Invocation, name: string, make: () => Promise<KeyPair>): Promise<void> {
  const { authority, terminal } = invocation;
  // Before anything is issued: without a password the certificate could not be used.
  const form = await chooseForm(invocation.form, terminal);
  const pair = await make();
  const authorities = [await authority.readCertificate()];
  const files = await writeCertificate({ form, name, pair, authorities });
  terminal.print(files.map((file) => `${file}\n`).join(''));
}

function getOnly(words: readonly string[], name: string): string {
  const [word, ...more] = words;
  if (word === undefined) throw new UsageError(`${name} is missing`);
  if (more.length > 0) throw new UsageError(`"${more[0] ?? ''}" is an unexpected word`);
  return word;
}

function parseDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError(`--days ${text}: expected a whole number of days`);
  return Number(text);
}

function formatRecords(records: readonly CertificateRecord[]): string {
  const toDay = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);
  return formatTable<CertificateRecord>(
    [
      { title: 'NAME', show: ({ name }) => name },
      { title: 'FOR', show: ({ purpose }) => purpose },
      { title: 'EXPIRES', show: ({ expiresAtMs }) => toDay(expiresAtMs) },
      { title: 'REVOKED', show: ({ revokedAtMs }) => (revokedAtMs === undefined ? '' : toDay(revokedAtMs)) },
      { title: 'SERIAL', show: ({ serialNumber }) => serialNumber },
    ],
    records,
  );
}
