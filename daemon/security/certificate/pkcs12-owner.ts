import { createHash } from 'node:crypto';
import type { X509Certificate } from 'node:crypto';

/** Returns the local key identifier by which key and certificate in a PKCS #12 file are found to belong together. */
export function toLocalKeyId({ raw }: Pick<X509Certificate, 'raw'>): Buffer {
  return createHash('sha256').update(raw).digest();
}

/**
 * True if `makePkcs12` made a file for a certificate. Its password is not needed: the identifier is not encrypted beside
 * the key.
 */
export function isPkcs12Of(file: Buffer, certificate: Pick<X509Certificate, 'raw'>): boolean {
  return file.includes(toLocalKeyId(certificate));
}
