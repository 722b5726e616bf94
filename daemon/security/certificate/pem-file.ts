import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import type { ErrorCode } from '../../base/error-codes.ts';
import { describeFileFault } from '../../base/file/file-fault.ts';
import { openRegularFile } from '../../base/file/regular-file.ts';
import { findKeyWeakness } from '../../base/key/key-weakness.ts';
import { CertificateError } from './certificate-error.ts';

// Certificates and keys take a few kilobytes; revocation lists of a large authority take some megabytes.
const MAXIMUM_FILE_BYTES = 8 * 1024 * 1024;

const GROUP_AND_OTHERS = 0o077;

/**
 * Reads a private key; the file must be accessible only to its owner.
 *
 * @throws {CertificateError} `CERTIFICATE_FILE_UNREADABLE`, `PRIVATE_KEY_TOO_OPEN`, `PRIVATE_KEY_INVALID` or `KEY_WEAK`
 */
export async function readPrivateKey(
  file: string,
): Promise<{ readonly text: string; readonly key: KeyObject }> {
  const text = await readText(file, (mode) => {
    if ((mode & GROUP_AND_OTHERS) === 0) return;
    throw new CertificateError({
      code: 'PRIVATE_KEY_TOO_OPEN',
      detail: `private key ${file} is accessible to other users (mode ${(mode & 0o777).toString(8).padStart(4, '0')}, expected 0600): run chmod 600 ${file}`,
    });
  });
  try {
    const key = createPrivateKey(text);
    refuseWeakKey(file, createPublicKey(key));
    return { text, key };
  } catch (cause) {
    if (cause instanceof CertificateError) throw cause;
    throw new CertificateError({
      code: 'PRIVATE_KEY_INVALID',
      detail: `${file} contains no unencrypted private key in PEM`,
      cause,
    });
  }
}

/**
 * Parses all certificates of a text.
 *
 * @param file origin of the text, for the error
 * @param code error code
 * @returns at least one certificate, in the order of the text
 * @throws {CertificateError} with this code, or `KEY_WEAK` if signatures of a certificate could be forged
 */
export function parseCertificates(file: string, text: string, code: ErrorCode): readonly X509Certificate[] {
  try {
    const certificates = splitPem(text, 'CERTIFICATE').map((block) => new X509Certificate(block));
    if (certificates.length === 0) throw new Error('no PEM block of the type CERTIFICATE');
    for (const { publicKey } of certificates) refuseWeakKey(file, publicKey);
    return certificates;
  } catch (cause) {
    if (cause instanceof CertificateError) throw cause;
    throw new CertificateError({
      code,
      detail: `${file} contains no valid certificate in PEM`,
      cause,
    });
  }
}

/**
 * Parses the first certificate of a text.
 *
 * @param file origin of the text, for the error
 * @throws {CertificateError} `CERTIFICATE_INVALID` or `KEY_WEAK`
 */
export function parseFirstCertificate(file: string, text: string): X509Certificate {
  const [certificate] = parseCertificates(file, text, 'CERTIFICATE_INVALID');
  if (certificate === undefined) throw new Error('a list of certificates is never empty');
  return certificate;
}

function refuseWeakKey(file: string, publicKey: KeyObject): void {
  const weakness = findKeyWeakness(publicKey);
  if (weakness === undefined) return;
  throw new CertificateError({ code: 'KEY_WEAK', detail: `the key in ${file} ${weakness}` });
}

/** Splits a text at its encapsulation boundaries (RFC 7468, 2). */
export function splitPem(text: string, label: string): readonly string[] {
  const begin = `-----BEGIN ${label}-----`;
  const end = `-----END ${label}-----`;
  return text
    .split(begin)
    .slice(1)
    .map((rest) => `${begin}${rest.split(end)[0] ?? ''}${end}\n`);
}

/**
 * Reads a PEM file.
 *
 * @param checkMode receives the mode of the open file and may throw
 * @throws {CertificateError} `CERTIFICATE_FILE_UNREADABLE`
 */
export async function readText(
  file: string,
  checkMode: (mode: number) => void = () => undefined,
): Promise<string> {
  try {
    await using handle = await openRegularFile(file);
    const { mode, size } = await handle.stat();
    // Checked on the open file, because another file could take its name in between.
    checkMode(mode);
    if (size > MAXIMUM_FILE_BYTES) throw new Error(`longer than ${MAXIMUM_FILE_BYTES} bytes`);
    return await handle.readFile('utf8');
  } catch (error) {
    if (error instanceof CertificateError) throw error;
    throw new CertificateError({
      code: 'CERTIFICATE_FILE_UNREADABLE',
      detail: `cannot read ${file}: ${describeFileFault(error)}`,
      cause: error,
    });
  }
}
