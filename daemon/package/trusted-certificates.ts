import { X509Certificate } from 'node:crypto';

import { describeFileFault } from '../base/file-fault.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { DeploymentError } from './deployment-error.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of trusted signers and authorities.
 *
 * @param file PEM; null: none
 * @returns each certificate, PEM
 * @throws {DeploymentError} `SIGNING_ERROR` when the file cannot be read or contains no certificate: an unreadable list must
 *   not pass for an empty one
 */
export async function readTrustedCertificates(file: string | null): Promise<readonly string[]> {
  if (file === null) return [];
  try {
    const found = (await readRegularFile(file)).toString('latin1').match(CERTIFICATE) ?? [];
    if (found.length === 0) throw new Error('it contains no certificate');
    return found.map((pem) => new X509Certificate(pem).toString());
  } catch (cause) {
    const detail = `the file of trusted signers cannot be used: ${describeFileFault(cause)}`;
    throw new DeploymentError('SIGNING_ERROR', detail, cause);
  }
}
