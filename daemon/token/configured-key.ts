import type { X509Certificate } from 'node:crypto';

import { CertificateError } from '../certificate/certificate-error.ts';
import { parseFirstCertificate, readPrivateKey, readText } from '../certificate/pem-file.ts';
import type { TokenAlgorithm } from '../settings/token-settings.ts';
import { listAlgorithms } from './algorithms.ts';
import { createSigningKey } from './signing-key.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * Reads a signing key from configured files.
 *
 * @throws {CertificateError} when a file cannot be read or used, `CERTIFICATE_KEY_MISMATCH`, `KEY_WEAK`, or
 *   `SIGNING_KEY_UNSUITABLE` when the key is of another kind than the algorithm requires
 */
export async function readConfiguredKey(
  algorithm: TokenAlgorithm,
  privateKeyFile: string,
  certificateFile: string,
): Promise<SigningKey> {
  const { key } = await readPrivateKey(privateKeyFile);
  const certificate = await readConfiguredCertificate(certificateFile);
  if (!certificate.checkPrivateKey(key)) {
    throw new CertificateError({
      code: 'CERTIFICATE_KEY_MISMATCH',
      detail: `the private key in ${privateKeyFile} does not belong to the certificate in ${certificateFile}`,
    });
  }
  if (!listAlgorithms(certificate.publicKey).includes(algorithm)) {
    throw new CertificateError({
      code: 'SIGNING_KEY_UNSUITABLE',
      detail: `the private key in ${privateKeyFile} does not suit ${algorithm}`,
    });
  }
  return createSigningKey(key, certificate);
}

/**
 * Reads the certificate of a signing key: the first one in the file.
 *
 * @throws {CertificateError} `CERTIFICATE_FILE_UNREADABLE`, `CERTIFICATE_INVALID` or `KEY_WEAK`
 */
export async function readConfiguredCertificate(file: string): Promise<X509Certificate> {
  return parseFirstCertificate(file, await readText(file));
}
