import { isIP } from 'node:net';
import { hostname } from 'node:os';

import { AuthorityDirectory } from './authority-directory.ts';
import type { CertificateRecord, IssuedPair } from './authority-directory.ts';
import { chooseForm, writeCertificate } from './certificate-form.ts';
import type { FormOptions } from './certificate-form.ts';
import { reportCertificates } from './certificate-report.ts';
import type { CertificateReport } from './certificate-report.ts';
import { createClient } from './client-options.ts';
import { createClientVerb } from './client-verb.ts';
import type { LocalInvocation } from './client-verb.ts';
import { updateInstalledList } from './setup/installed-list.ts';
import { formatTable } from './table.ts';
import { readWholeNumber } from './whole-number.ts';

const DEFAULT_DIRECTORY = '/etc/penstock/ca';
const DAYS = { unit: 'days', minimum: 1, maximum: 99_999 };

const AUTHORITY = {
  authority: {
    value: 'FOLDER',
    help: 'folder of the authority',
    default: DEFAULT_DIRECTORY,
    names: 'file',
  },
} as const;
const ISSUE = {
  ...AUTHORITY,
  output: { value: 'FOLDER', help: 'folder of the new files', default: '.', names: 'file' },
  format: {
    value: 'pem|pkcs12',
    help: 'two PEM files, or one PKCS #12 file under a password with key, certificate and authority',
    default: 'pem',
  },
  'password-file': { value: 'FILE', help: 'reads that password from a file', names: 'file' },
  days: { value: 'N', help: 'days of validity (default: 825)' },
} as const;

/** Runs a small certificate authority for the clients of the gateway. */
export const certificate = createClientVerb(
  'certificate',
  'makes an authority; issues, renews and revokes certificates',
  {
    init: {
      parameters: '[NAME]',
      summary: 'creates a private certificate authority',
      options: AUTHORITY,
      text: `Name it in penstock.yaml: tls.clientCertificateAuthoritiesFile is ${DEFAULT_DIRECTORY}/ca.crt, tls.certificateRevocationListFile is ${DEFAULT_DIRECTORY}/ca.crl.`,
      examples: ['penstock certificate init "Plant authority"'],
      runHere: async (invocation) => {
        const [name = `Penstock authority of ${hostname()}`] = invocation.words;
        const authority = openAuthority(invocation);
        const own = await authority.create(name);
        await report(invocation, { operation: 'ISSUED', certificates: [{ ...own, purpose: 'authority' }] });
        const files = [authority.certificateFile, authority.revocationListFile];
        invocation.show(files, formatFiles);
      },
    },
    issue: {
      parameters: 'IDENTITY',
      names: ['identity'],
      summary: 'issues a client certificate for an identity: IDENTITY.crt and IDENTITY.key, or IDENTITY.p12',
      options: ISSUE,
      examples: ['penstock certificate issue scada --output /root/scada'],
      runHere: (invocation) => issueClient(invocation, invocation.words[0] ?? ''),
    },
    renew: {
      parameters: 'IDENTITY',
      names: ['identity'],
      summary: 'issues a new certificate and revokes the previous ones',
      options: ISSUE,
      runHere: async (invocation) => {
        const [name = ''] = invocation.words;
        const authority = openAuthority(invocation);
        const previous = (await authority.list()).filter(
          (record) => record.name === name && record.revokedAtMs === undefined,
        );
        await issueClient(invocation, name);
        // Revoked last: a failure before leaves a certificate that works.
        for (const { serialNumber } of previous) await authority.revoke(serialNumber);
        await report(invocation, { operation: 'REVOKED', certificates: previous });
        await updateInstalledList(authority);
      },
    },
    server: {
      parameters: 'NAME [NAME...]',
      summary:
        'issues a certificate for the gateway under these host names and addresses: server.crt and server.key',
      options: ISSUE,
      examples: ['penstock certificate server gateway 192.0.2.10 --output /etc/penstock/tls'],
      runHere: async (invocation) => {
        const { words, options } = invocation;
        const days = readWholeNumber(options, 'days', DAYS);
        const addresses = words.filter((word) => isIP(word) !== 0);
        const hostNames = words.filter((word) => isIP(word) === 0);
        const authority = openAuthority(invocation);
        await issue(invocation, 'server', () => authority.issueServer({ hostNames, addresses }, days));
      },
    },
    revoke: {
      parameters: 'IDENTITY|SERIAL',
      names: ['identity'],
      summary: 'revokes certificates and writes the revocation list',
      options: AUTHORITY,
      runHere: async (invocation) => {
        const authority = openAuthority(invocation);
        const revoked = await authority.revoke(invocation.words[0] ?? '');
        await report(invocation, { operation: 'REVOKED', certificates: revoked });
        invocation.show(revoked, formatRecords);
        const installed = await updateInstalledList(authority);
        const file = installed ?? authority.revocationListFile;
        invocation.terminal.note(`a gateway that uses ${file} reads the new list by itself\n`);
      },
    },
    list: {
      parameters: '',
      summary: 'lists the issued certificates',
      options: AUTHORITY,
      runHere: async (invocation) => {
        invocation.show(await openAuthority(invocation).list(), formatRecords);
      },
    },
  },
);

function openAuthority({ options }: LocalInvocation): AuthorityDirectory {
  return new AuthorityDirectory(String(options['authority']));
}

async function issueClient(invocation: LocalInvocation, name: string): Promise<void> {
  const fileName = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  const days = readWholeNumber(invocation.options, 'days', DAYS);
  const authority = openAuthority(invocation);
  await issue(invocation, fileName, () => authority.issueClient(name, days));
}

async function issue(
  invocation: LocalInvocation,
  name: string,
  make: () => Promise<IssuedPair>,
): Promise<void> {
  const { options, terminal, show } = invocation;
  // Before anything is issued: without a password the certificate could not be used.
  const form = await chooseForm(options as unknown as FormOptions, terminal);
  const pair = await make();
  await report(invocation, { operation: 'ISSUED', certificates: [pair.record] });
  const authorities = [await openAuthority(invocation).readCertificate()];
  show(await writeCertificate({ form, name, pair, authorities }), formatFiles);
}

async function report({ terminal, command }: LocalInvocation, done: CertificateReport): Promise<void> {
  await reportCertificates(await createClient({}, terminal, command), done, terminal);
}

function formatFiles(files: readonly string[]): string {
  return files.map((file) => `${file}\n`).join('');
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
