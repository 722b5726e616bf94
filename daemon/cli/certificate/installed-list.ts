import { stat } from 'node:fs/promises';
import path from 'node:path';

import { installedTlsFiles } from '../../security/certificate/tls-files.ts';
import { installFile } from '../setup/install-file.ts';
import { readIfExists } from '../setup/optional-file.ts';
import type { AuthorityFiles } from './authority-files.ts';
import { replaceOwnList } from './authority-ledger.ts';

/**
 * Updates the installed copies of the revocation list: the one of the installed client authorities, if they include this
 * authority, and further ones. Keeps other lists in a copy, and creates no missing copies.
 *
 * @returns the existing copies
 * @throws {CommandError} if a file cannot be read
 */
export async function updateInstalledLists(
  files: AuthorityFiles,
  further: readonly string[] = [],
): Promise<readonly string[]> {
  const list = await files.get('revocationList');
  const authority = await files.readCertificate();
  const updated: string[] = [];
  for (const file of new Set([...(await findInstalledList(files)), ...further])) {
    const copy = await readIfExists(file);
    if (copy === undefined) continue;
    updated.push(file);
    const wanted = replaceOwnList(copy, list, authority);
    if (copy === wanted) continue;
    const { uid, gid } = await stat(file);
    await installFile(file, wanted, { uid, gid, mode: 0o644 });
  }
  return updated;
}

async function findInstalledList(files: AuthorityFiles): Promise<readonly string[]> {
  const { clientCertificateAuthoritiesFile, certificateRevocationListFile } = installedTlsFiles(
    path.join(path.dirname(files.directory), 'tls'),
  );
  const installed = await readIfExists(clientCertificateAuthoritiesFile);
  const isInstalled = installed?.includes((await files.get('certificate')).trim()) === true;
  return isInstalled ? [certificateRevocationListFile] : [];
}
