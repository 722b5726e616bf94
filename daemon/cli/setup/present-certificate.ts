import { X509Certificate, createPrivateKey } from 'node:crypto';

import { CommandError } from '../command-error.ts';
import { readIfPresent } from './present-file.ts';

/**
 * Reads a certificate, PEM; undefined if there is no file.
 *
 * @throws {CommandError} `CERTIFICATE_INVALID`, `FILE_UNREADABLE`
 */
export async function readCertificate(file: string): Promise<X509Certificate | undefined> {
  const text = await readIfPresent(file);
  if (text === undefined) return undefined;
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new CommandError({
      code: 'CERTIFICATE_INVALID',
      detail: `${file} is no certificate`,
      cause: error,
    });
  }
}

/** True if the authority issued the certificate. */
export function isIssuedBy(certificate: X509Certificate, authority: X509Certificate | undefined): boolean {
  return (
    authority !== undefined && certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
  );
}

/** True if a private key, PEM, belongs to the certificate. */
export function belongsTo(key: string, certificate: X509Certificate): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
