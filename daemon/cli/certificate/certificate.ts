import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

import { CertificateError } from '../../security/certificate/certificate-error.ts';
import { createClient } from '../client/client-options.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { formatTable } from '../terminal/table.ts';
import { readTextFile } from '../terminal/text-file.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';
import { AuthorityDirectory } from './authority-directory.ts';
import { normalizeSerial } from './authority-ledger.ts';
import type { CertificateRecord } from './authority-ledger.ts';
import { chooseForm, listCertificateFiles, replaceOtherForms, writeCertificate } from './certificate-form.ts';
import type { FormOptions } from './certificate-form.ts';
import { changeAndReport, noteMissingIdentity } from './certificate-report.ts';
import type { Delivery, LockedAuthority } from './locked-authority.ts';

const DEFAULT_DIRECTORY = '/etc/penstock/ca';
const DAYS = { unit: 'days', minimum: 1, maximum: 99_999 };

const AUTHORITY = {
  authority: {
    value: 'DIRECTORY',
    help: 'directory of the authority',
    default: DEFAULT_DIRECTORY,
    names: 'file',
  },
} as const;
const ISSUE = {
  ...AUTHORITY,
  output: { value: 'DIRECTORY', help: 'directory of the new files', default: '.', names: 'file' },
  format: {
    value: 'pem|pkcs12',
    help: 'two PEM files, or one password-protected PKCS #12 file with key, certificate and authority',
    default: 'pem',
  },
  'password-file': { value: 'FILE', help: 'read that password from a file', names: 'file' },
  days: { value: 'N', help: 'days of validity (default: 825)' },
} as const;

/** Manages a small certificate authority for the clients of the gateway. */
export const certificate = createCommandGroup(
  'certificate',
  'create an authority; issue, renew and revoke certificates',
  {
    init: {
      parameters: '[NAME]',
      summary: 'create a private certificate authority',
      options: AUTHORITY,
      text: `Configure it in penstock.yaml: tls.clientCertificateAuthoritiesFile is ${DEFAULT_DIRECTORY}/ca.crt, tls.certificateRevocationListFile is ${DEFAULT_DIRECTORY}/ca.crl.`,
      examples: ['penstock certificate init "Plant authority"'],
      runHere: async (invocation) => {
        const [name = `Penstock authority of ${hostname()}`] = invocation.words;
        const authority = openAuthority(invocation);
        await change(invocation, (locked) => locked.create(name), { isNew: true });
        const files = [authority.certificateFile, authority.revocationListFile];
        invocation.show(files, formatFiles);
      },
    },
    issue: {
      parameters: 'IDENTITY',
      names: ['identity'],
      summary: 'issue a client certificate for an identity: IDENTITY.crt and IDENTITY.key, or IDENTITY.p12',
      options: ISSUE,
      examples: ['penstock certificate issue scada --output /root/scada'],
      runHere: (invocation) => issueClient(invocation, invocation.words[0] ?? ''),
    },
    renew: {
      parameters: 'IDENTITY',
      names: ['identity'],
      summary: 'issue a new client certificate and revoke the previous ones',
      text: 'Existing PEM and PKCS #12 files in the directory are also replaced. A PKCS #12 file without a file NAME.p12.password next to it is renamed to NAME.p12.revoked.',
      options: ISSUE,
      runHere: (invocation) => issueClient(invocation, invocation.words[0] ?? '', { isRenewal: true }),
    },
    server: {
      parameters: 'NAME [NAME...]',
      summary: 'issue a server certificate for these host names and addresses: server.crt and server.key',
      options: ISSUE,
      examples: ['penstock certificate server gateway 192.0.2.10 --output /etc/penstock/tls'],
      runHere: async (invocation) => {
        const { words, options } = invocation;
        const days = readWholeNumber(options, 'days', DAYS);
        const addresses = words.filter((word) => isIP(word) !== 0);
        const hostNames = words.filter((word) => isIP(word) === 0);
        const issue = await prepareIssue(invocation, 'server');
        await change(invocation, (locked) =>
          locked.issueServer({ hostNames, addresses }, issue.delivery, days),
        );
        invocation.show(issue.files, formatFiles);
      },
    },
    revoke: {
      parameters: '[IDENTITY|SERIAL]',
      names: ['identity'],
      summary: 'revoke certificates and write the revocation list',
      options: {
        ...AUTHORITY,
        certificate: {
          value: 'FILE',
          help: 'revoke this certificate (PEM), even if the authority has no record of it',
          names: 'file',
        },
      },
      examples: [
        'penstock certificate revoke scada',
        'penstock certificate revoke --certificate /root/scada/scada.crt',
      ],
      runHere: revoke,
    },
    crl: {
      parameters: '',
      summary: 'rewrite the revocation list from the records of the authority',
      options: AUTHORITY,
      text: 'Every change writes it as well. Use this if the list was deleted, or replaced by an older one.',
      runHere: async (invocation) => {
        const copies = await change(invocation, (locked) => locked.publish());
        invocation.show([openAuthority(invocation).revocationListFile, ...copies], formatFiles);
      },
    },
    list: {
      parameters: '',
      summary: 'list the issued certificates',
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

/** Runs `work` with the authority locked and reports the changes to the gateway. */
async function change<T>(
  invocation: LocalInvocation,
  work: (locked: LockedAuthority) => Promise<T>,
  options?: { readonly isNew: boolean },
): Promise<T> {
  const { terminal, command } = invocation;
  const client = await createClient({}, terminal, command);
  try {
    return await changeAndReport(openAuthority(invocation), { client, terminal }, work, options);
  } catch (error) {
    // An invalid name or number on the command line.
    if (error instanceof CertificateError && error.code === 'CERTIFICATE_REQUEST_INVALID') {
      throw new UsageError(error.detail);
    }
    throw error;
  }
}

async function issueClient(
  invocation: LocalInvocation,
  name: string,
  { isRenewal = false }: { readonly isRenewal?: boolean } = {},
): Promise<void> {
  const { terminal, command } = invocation;
  const fileName = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  const days = readWholeNumber(invocation.options, 'days', DAYS);
  const { form, delivery, files } = await prepareIssue(invocation, fileName);
  await noteMissingIdentity(await createClient({}, terminal, command), name, terminal);
  const replaced = await change(invocation, async (locked) => {
    const nowMs = Date.now();
    const previous = (await locked.list()).filter(
      (record) => record.name === name && record.purpose === 'client' && record.revokedAtMs === undefined,
    );
    const serials = new Set(previous.map(({ serialNumber }) => serialNumber));
    if (!isRenewal) {
      for (const { serialNumber, expiresAtMs } of previous) {
        if (expiresAtMs > nowMs) terminal.note(`certificate ${serialNumber} of ${name} also stays valid\n`);
      }
      await locked.issueClient(name, delivery, days);
      return [];
    }
    const others: string[] = [];
    const authority = await openAuthority(invocation).readCertificate();
    const write: Delivery['write'] = async (pair) => {
      others.push(
        ...(await replaceOtherForms({ form, name: fileName, pair, authorities: [authority] }, serials)),
      );
      await delivery.write(pair);
    };
    await locked.issueClient(name, { ...delivery, write }, days);
    // Revoked last: after an earlier failure the previous certificate still works.
    if (serials.size > 0) await locked.revoke(({ serialNumber }) => serials.has(serialNumber), name);
    return others;
  });
  invocation.show([...files, ...replaced], formatFiles);
}

/** Chooses the format before issuing: without a password the certificate would be useless. */
async function prepareIssue(invocation: LocalInvocation, name: string) {
  const form = await chooseForm(invocation.options as unknown as FormOptions, invocation.terminal);
  const files = listCertificateFiles(form, name);
  const write: Delivery['write'] = async (pair) => {
    const authorities = [await openAuthority(invocation).readCertificate()];
    await writeCertificate({ form, name, pair, authorities });
  };
  return { form, delivery: { file: files[0] ?? '', write }, files };
}

async function revoke(invocation: LocalInvocation): Promise<void> {
  const [word] = invocation.words;
  const { certificate: file } = invocation.options;
  if ((word === undefined) === (file === undefined)) {
    throw new UsageError('expected an identity, a serial number or --certificate FILE');
  }
  const given = typeof file === 'string' ? await readCertificate(file) : undefined;
  const { revoked, revokedBefore, copies } = await change(invocation, async (locked) => {
    const done =
      given === undefined
        ? await locked.revoke(hasNameOrSerial(word ?? ''), `"${word ?? ''}"`)
        : await locked.revokeCertificate(String(file), given);
    return { ...done, copies: await locked.publish() };
  });
  const { terminal } = invocation;
  if (revoked.length === 0) terminal.note('already revoked; the revocation list contains it\n');
  invocation.show(revoked.length === 0 ? revokedBefore : revoked, formatRecords);
  const [list = openAuthority(invocation).revocationListFile] = copies;
  terminal.note(`a gateway that uses ${list} reloads it automatically\n`);
}

function hasNameOrSerial(word: string): (record: CertificateRecord) => boolean {
  const serial = normalizeSerial(word);
  return ({ name, serialNumber }) => name === word || normalizeSerial(serialNumber) === serial;
}

async function readCertificate(file: string): Promise<X509Certificate> {
  const text = await readTextFile(file);
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw new CommandError({
      code: 'CERTIFICATE_INVALID',
      detail: `${file} is not a certificate (PEM)`,
      cause,
    });
  }
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
