import { hostname } from 'node:os';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { AuthorityFiles } from '../certificate/authority-files.ts';
import { replaceOwnList } from '../certificate/authority-ledger.ts';
import type { LockedAuthority } from '../certificate/locked-authority.ts';
import { changeIdentity, createIdentity } from '../../interface/security/identities.ts';
import { CommandError } from '../command-error.ts';
import { readSection, replaceSection } from '../../interface/configuration/configuration.ts';
import type { RestResponse, RestClient } from '../client/rest-client.ts';
import { isItem } from '../configuration/setting-edit.ts';
import { listClientFiles, writeClientFiles, writePkcs12 } from './client-files.ts';
import type { CurrentSetup } from './current-setup.ts';
import { installFile } from './install-file.ts';
import type { SetupStep } from './plan.ts';
import { readIfExists } from './optional-file.ts';
import type { SetupOptions } from './setup-options.ts';

/** Input of the steps. */
export interface SetupWork {
  readonly current: CurrentSetup;
  readonly target: SetupOptions;
  readonly client: RestClient;
  /** The new password of the administrator, if one is needed. */
  readonly password: string | undefined;
  /** Undefined: its key is on another machine, so nothing can be issued. */
  readonly authority: LockedAuthority | undefined;
}

/**
 * Carries out one step completely or not at all.
 *
 * @throws {CommandError} with the message of the gateway or of the file system
 */
export async function carryOut(step: SetupStep, work: SetupWork): Promise<void> {
  const { client } = work;
  switch (step.kind) {
    case 'password':
      return setPassword(client, work.password ?? '');
    case 'authority':
      return getAuthority(work).create(`Penstock authority of ${hostname()}`.slice(0, 64));
    case 'serverCertificate':
      return installServerCertificate(work);
    case 'clientAuthority':
      return installClientAuthority(work);
    case 'certificateLogin':
      return enableCertificateLogin(client);
    case 'identity': {
      const { grants } = work.target;
      const rights = grants.length === 0 ? { permissions: ['rest.assets'] } : { grants };
      return client.call(createIdentity, {}, { userName: step.client, ...rights });
    }
    case 'clientCertificate':
      return issueClient(work, step.client);
    case 'pkcs12':
      return replacePkcs12(work, step.client);
  }
}

async function setPassword(client: RestClient, password: string): Promise<void> {
  const body = { userName: 'admin', password, passwordAuthEnabled: true, passwordChangeNeeded: false };
  await client.call(changeIdentity, {}, body);
}

function getAuthority({ authority, current }: SetupWork): LockedAuthority {
  if (authority !== undefined) return authority;
  const detail = `${current.paths.authority}/ca.key is not on this machine`;
  throw new CommandError({ code: 'AUTHORITY_MISSING', detail });
}

async function installServerCertificate(work: SetupWork): Promise<void> {
  const { owner, paths } = work.current;
  const { certificateFile, privateKeyFile } = paths.server;
  await makeParent(certificateFile);
  await makeParent(privateKeyFile);
  await getAuthority(work).issueServer(work.target.names, {
    file: certificateFile,
    async write({ certificate, privateKey }) {
      await installFile(privateKeyFile, privateKey, { ...owner, mode: 0o600 });
      // The key first: the daemon waits for the certificate.
      await installFile(certificateFile, certificate, { ...owner, mode: 0o644 });
    },
  });
}

async function installClientAuthority({ current, authority }: SetupWork): Promise<void> {
  const { owner, paths } = current;
  const { clientAuthorities, revocationLists } = paths;
  const files = new AuthorityFiles(paths.authority);
  await makeParent(clientAuthorities);
  if (revocationLists !== undefined) {
    await makeParent(revocationLists);
    const list = await files.get('revocationList');
    const present = current.clientAuthorities === 'OURS' ? await readIfExists(revocationLists) : undefined;
    const wanted = replaceOwnList(present ?? '', list, await files.readCertificate());
    await installFile(revocationLists, wanted, { ...owner, mode: 0o644 });
    await authority?.addInstalledList(revocationLists);
  }
  // The file may contain further authorities.
  if (current.clientAuthorities === 'OURS') return;
  await installFile(clientAuthorities, await files.get('certificate'), { ...owner, mode: 0o644 });
}

async function enableCertificateLogin(client: RestClient): Promise<void> {
  const parameters = { section: 'rest' };
  const { body, headers }: RestResponse = await client.exchange(readSection, { parameters });
  const replacement = { ...(isItem(body) ? body : {}), statelessCertificateAuthenticationEnabled: true };
  const basis = { 'If-Match': headers.etag ?? '*' };
  await client.exchange(replaceSection, { parameters, body: replacement, headers: basis });
}

async function replacePkcs12({ current }: SetupWork, name: string): Promise<void> {
  const { folder = name } = current.clients.get(name) ?? {};
  const files = listClientFiles(folder, name);
  const [certificate, privateKey] = [
    await readFile(files.certificate, 'utf8'),
    await readFile(files.privateKey, 'utf8'),
  ];
  const authority = await new AuthorityFiles(current.paths.authority).get('certificate');
  await writePkcs12(files, name, { pair: { certificate, privateKey }, authority });
}

async function issueClient(work: SetupWork, name: string): Promise<void> {
  const { clients, paths } = work.current;
  const { folder = name } = clients.get(name) ?? {};
  const authority = await new AuthorityFiles(paths.authority).get('certificate');
  await getAuthority(work).issueClient(name, {
    file: listClientFiles(folder, name).certificate,
    write: (pair) => writeClientFiles(folder, name, { pair, authority }),
  });
}

async function makeParent(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o755 });
}
