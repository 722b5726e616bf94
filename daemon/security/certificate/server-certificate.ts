import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../../base/file/atomic-file.ts';
import { listLocalNames, makeSelfSignedServerCertificate } from './certificate-maker.ts';
import type { ServerNames } from './certificate-maker.ts';
import { isPresent } from './tls-files.ts';
import type { ServerCertificateFiles } from './tls-files.ts';

/**
 * Creates a self-signed server certificate and its key when there is no certificate yet.
 *
 * Directories are created with mode 0700, files with 0600, whatever the umask is. The certificate is written last: after a
 * crash in between the next call creates both again. An existing certificate is left alone, even when it has expired,
 * because clients may have been told to trust exactly this one.
 *
 * @param files paths; both belong to the daemon alone
 * @param names under which clients reach the server; by default those of this machine
 * @returns whether the certificate was created now
 * @throws {CertificateError} `CERTIFICATE_REQUEST_INVALID`, `CERTIFICATE_MAKER_FAILED`
 */
export async function ensureServerCertificate(
  { certificateFile, privateKeyFile }: ServerCertificateFiles,
  names: ServerNames = listLocalNames(),
): Promise<boolean> {
  if (await isPresent(certificateFile)) return false;
  const { certificate, privateKey } = await makeSelfSignedServerCertificate(names);
  for (const file of [privateKeyFile, certificateFile]) {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  }
  await writeFileAtomically(privateKeyFile, privateKey, 0o600);
  await writeFileAtomically(certificateFile, certificate, 0o600);
  return true;
}
