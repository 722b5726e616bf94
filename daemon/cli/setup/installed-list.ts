import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { installedTlsFiles } from '../../certificate/tls-files.ts';
import type { AuthorityDirectory } from '../authority-directory.ts';
import { installFile } from './install-file.ts';
import { isMissing, readIfPresent } from './present-file.ts';

/**
 * Puts the revocation list of an authority beside the authorities of clients that `penstock setup` has installed with it, when
 * they are this authority.
 *
 * @returns the file; undefined: the authority is not installed here
 * @throws {CommandError} when a file cannot be read
 */
export async function updateInstalledList(authority: AuthorityDirectory): Promise<string | undefined> {
  const { clientCertificateAuthoritiesFile, certificateRevocationListFile: file } = installedTlsFiles(
    path.join(path.dirname(authority.directory), 'tls'),
  );
  const installed = await readIfPresent(clientCertificateAuthoritiesFile);
  const isInstalled = installed?.trim() === (await authority.readCertificate()).trim();
  if (!isInstalled || (await isMissing(file))) return undefined;
  const { uid, gid } = await stat(file);
  await installFile(file, await readFile(authority.revocationListFile, 'utf8'), { uid, gid, mode: 0o644 });
  return file;
}
