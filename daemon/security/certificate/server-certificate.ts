import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { writeFileAtomically } from '../../base/file/atomic-file.ts';
import { listLocalNames, makeSelfSignedServerCertificate } from './certificate-issuer.ts';
import type { ServerNames } from './certificate-issuer.ts';
import { isPresent } from './tls-files.ts';
import type { ServerCertificateFiles } from './tls-files.ts';

/**
 * Creates a self-signed server certificate and its key if there is no certificate yet.
 *
 * Directories have mode 0700 and files 0600, independent of the umask. The certificate is written last: after a crash in between,
 * the next call creates both again. An existing certificate is never replaced, even if it has expired, because clients may
 * trust exactly this one.
 *
 * @param files paths, both owned by the daemon
 * @param names server names used by clients; default: the names of this machine
 * @returns true if the certificate was created by this call
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
