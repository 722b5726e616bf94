import { access } from 'node:fs/promises';
import { X509Certificate, createPrivateKey } from 'node:crypto';

import { readRegularFile } from '../../base/file/regular-file.ts';
import { CommandError, describeFailure } from '../command-error.ts';

/**
 * Reads a file; undefined if it does not exist.
 *
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function readIfExists(file: string): Promise<string | undefined> {
  return (await readBytesIfExists(file))?.toString();
}

/**
 * Reads the bytes of a file; undefined if it does not exist.
 *
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function readBytesIfExists(file: string): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(file);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw new CommandError({ code: 'FILE_UNREADABLE', detail: describeFailure(error), cause: error });
  }
}

/** Returns true if nothing exists at a path. */
export async function isMissing(file: string): Promise<boolean> {
  try {
    await access(file);
    return false;
  } catch (error) {
    return isAbsence(error);
  }
}

function isAbsence(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ENOENT';
}

/**
 * Reads a certificate, PEM; undefined if there is no file.
 *
 * @throws {CommandError} `CERTIFICATE_INVALID`, `FILE_UNREADABLE`
 */
export async function readCertificate(file: string): Promise<X509Certificate | undefined> {
  const text = await readIfExists(file);
  if (text === undefined) return undefined;
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new CommandError({
      code: 'CERTIFICATE_INVALID',
      detail: `${file} is not a certificate (PEM)`,
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
