import { hostname } from 'node:os';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { AuthorityDirectory } from '../authority-directory.ts';
import { reportCertificates } from '../certificate-report.ts';
import type { CertificateReport } from '../certificate-report.ts';
import type { RestClient } from '../rest-client.ts';
import type { Terminal } from '../verb.ts';
import { writeClientFiles } from './client-files.ts';
import type { SetupFacts } from './facts.ts';
import { installFile } from './install-file.ts';
import type { SetupStep } from './plan.ts';
import type { SetupWishes } from './wishes.ts';

/** What the steps need. */
export interface SetupWork {
  readonly facts: SetupFacts;
  readonly wishes: SetupWishes;
  readonly client: RestClient;
  /** The new password of the administrator, when one is needed. */
  readonly password: string | undefined;
  readonly terminal: Terminal;
}

const REST = '/services/configuration/v1/rest';

/**
 * Carries out one step; afterwards it is done as a whole, or not at all.
 *
 * @throws {CommandError} with the message of the gateway, or of the file system
 */
export async function carryOut(step: SetupStep, work: SetupWork): Promise<void> {
  const { facts, client } = work;
  const authority = new AuthorityDirectory(facts.places.authority);
  switch (step.kind) {
    case 'password':
      await setPassword(client, work.password ?? '');
      return undefined;
    case 'authority': {
      const own = await authority.create(`Penstock authority of ${hostname()}`.slice(0, 64));
      return report(work, [{ ...own, purpose: 'authority' }]);
    }
    case 'serverCertificate':
      return installServerCertificate(authority, work);
    case 'clientAuthority':
      return installClientAuthority(authority, facts);
    case 'certificateLogin':
      return switchCertificateLoginOn(client);
    case 'identity': {
      const { grants } = work.wishes;
      const rights = grants.length === 0 ? { permissions: ['rest.assets'] } : { grants };
      const body = { userName: step.client, ...rights };
      await client.send('POST', '/services/identity/v1/identities', { body });
      return undefined;
    }
    case 'clientCertificate':
      return issueClient(authority, work, step.client);
  }
}

async function setPassword(client: RestClient, password: string): Promise<void> {
  const body = { userName: 'admin', password, passwordAuthEnabled: true, passwordChangeNeeded: false };
  await client.send('PUT', '/services/identity/v1/identities', { body });
}

async function installServerCertificate(authority: AuthorityDirectory, work: SetupWork): Promise<void> {
  const { owner, places } = work.facts;
  const { certificateFile, privateKeyFile } = places.server;
  const { certificate, privateKey, record } = await authority.issueServer(work.wishes.names);
  await report(work, [record]);
  await makeParent(certificateFile);
  await makeParent(privateKeyFile);
  await installFile(privateKeyFile, privateKey, { ...owner, mode: 0o600 });
  // The daemon looks for the certificate; the key is there by then.
  await installFile(certificateFile, certificate, { ...owner, mode: 0o644 });
}

async function installClientAuthority(
  authority: AuthorityDirectory,
  { owner, places }: SetupFacts,
): Promise<void> {
  await makeParent(places.clientAuthorities);
  if (places.revocationLists !== undefined) {
    const list = await readFile(authority.revocationListFile, 'utf8');
    await installFile(places.revocationLists, list, { ...owner, mode: 0o644 });
  }
  await installFile(places.clientAuthorities, await authority.readCertificate(), { ...owner, mode: 0o644 });
}

async function switchCertificateLoginOn(client: RestClient): Promise<void> {
  const { body, headers } = await client.send('GET', REST);
  const replacement = { ...(body as object), statelessCertificateAuthenticationEnabled: true };
  await client.send('PUT', REST, { body: replacement, headers: { 'If-Match': headers.etag ?? '*' } });
}

async function issueClient(authority: AuthorityDirectory, work: SetupWork, name: string): Promise<void> {
  const { folder = name } = work.facts.clients.get(name) ?? {};
  const pair = await authority.issueClient(name);
  await report(work, [pair.record]);
  await writeClientFiles(folder, name, { pair, authority: await authority.readCertificate() });
}

function report(
  { client, terminal }: SetupWork,
  certificates: CertificateReport['certificates'],
): Promise<void> {
  return reportCertificates(client, { operation: 'ISSUED', certificates }, terminal);
}

async function makeParent(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o755 });
}
