import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import {
  issueClientCertificate,
  issueServerCertificate,
  listLocalNames,
  makeCertificateAuthority,
} from '../../certificate/certificate-maker.ts';
import {
  CERTIFICATE_IDENTITY,
  DEMO_FILES,
  formatDemoConfiguration,
  PASSWORD_IDENTITY,
} from './demo-configuration.ts';
import type { PlantEndpoints } from '../../simulator/plant-protocol.ts';

// The demonstration lasts minutes, and files that a crash leaves behind should soon be worthless; of an end within 30 days the gateway
// would warn.
const CERTIFICATE_DAYS = 32;

/** Creates an empty directory below the temporary directory of the system, mode 0700, and returns its path. */
export function createDemoDirectory(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'penstock-demo-'));
}

/** Removes the directory and its content. */
export function removeDemoDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}

/**
 * Writes the certificates of an authority, the server and the client, and the keys of the latter two. The key of the
 * authority is not kept.
 *
 * @throws {CertificateError}
 */
export async function writeCertificates(directory: string): Promise<void> {
  const authority = await makeCertificateAuthority('Penstock demo authority', CERTIFICATE_DAYS);
  const [server, client] = await Promise.all([
    issueServerCertificate(authority, listLocalNames(), CERTIFICATE_DAYS),
    issueClientCertificate(authority, CERTIFICATE_IDENTITY, CERTIFICATE_DAYS),
  ]);
  await write(directory, DEMO_FILES.authority, authority.certificate);
  await write(directory, DEMO_FILES.serverCertificate, server.certificate);
  await write(directory, DEMO_FILES.serverKey, server.privateKey);
  await write(directory, DEMO_FILES.clientCertificate, client.certificate);
  await write(directory, DEMO_FILES.clientKey, client.privateKey);
}

/** Writes the configuration with a random password, and the body of a login with that password; returns the password. */
export async function writeConfiguration(directory: string, endpoints: PlantEndpoints): Promise<string> {
  const password = randomBytes(18).toString('base64url');
  await write(directory, DEMO_FILES.configuration, formatDemoConfiguration(endpoints, password));
  await write(directory, DEMO_FILES.login, JSON.stringify({ username: PASSWORD_IDENTITY, password }));
  return password;
}

function write(directory: string, name: string, content: string): Promise<void> {
  return writeFile(path.join(directory, name), content, { mode: 0o600, flag: 'wx' });
}
