import { createHash } from 'node:crypto';
import type { X509Certificate } from 'node:crypto';

/** Returns the local key identifier that links key and certificate in a PKCS #12 file. */
export function toLocalKeyId({ raw }: Pick<X509Certificate, 'raw'>): Buffer {
  return createHash('sha256').update(raw).digest();
}

/**
 * Returns true if `makePkcs12` created a file for a certificate. The password is not needed, because the identifier next to the
 * key is not encrypted.
 */
export function isPkcs12Of(file: Buffer, certificate: Pick<X509Certificate, 'raw'>): boolean {
  return file.includes(toLocalKeyId(certificate));
}
