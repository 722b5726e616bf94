import { verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import { DER_TAG, getElement, readElements, readTime, toHex } from '../../base/text/der.ts';
import type { DerElement } from '../../base/text/der.ts';

/** A certificate revocation list (RFC 5280, 5). */
export interface RevocationList {
  readonly pem: string;
  /** Issuer name, DER in hexadecimal. */
  readonly issuerName: string;
  readonly thisUpdateMs: number;
  /** Expiry of the list. */
  readonly nextUpdateMs: number;
  /** Serial numbers of the revoked certificates in the form of `toHex`. */
  readonly serialNumbers: ReadonlySet<string>;
  /** Returns true if the list is signed with this key. */
  isSignedBy(publicKey: KeyObject): boolean;
}

// RFC 4055, 5; RFC 5758, 3.2; RFC 8410, 3. RSASSA-PSS has its own parameters and is not supported.
const DIGEST_OF_SIGNATURE_ALGORITHM: Readonly<Record<string, string | null>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
  '2b6571': null,
};

/**
 * Parses one list.
 *
 * A dedicated parser, because lists of large authorities contain 100,000 entries and more: decoders that create an object for
 * each field take seconds and hundreds of megabytes instead of milliseconds.
 *
 * @param pem one PEM block of type X509 CRL, already parsed by OpenSSL
 * @throws {RangeError} if the list has no nextUpdate, which RFC 5280, 5.1.2.5 requires; if it has a critical extension, because
 *   it then only covers a part of the certificates (5.2.4, 5.2.5); or if its signature algorithm is not RSA (PKCS #1),
 *   ECDSA or EdDSA with SHA-256 or better
 */
export function parseRevocationList(pem: string): RevocationList {
  const bytes = Buffer.from(pem.replaceAll(/-----[^-]+-----/g, ''), 'base64');
  const [list, algorithm, signature] = readElements(
    getElement(readElements(bytes), DER_TAG.sequence).content,
  );
  if (list === undefined || algorithm === undefined || signature === undefined) {
    throw new RangeError('the list is not signed');
  }
  // An optional version comes first; the algorithm is repeated before the name.
  const fields = readElements(list.content).filter(({ tag }) => tag !== DER_TAG.integer);
  const [, issuer, thisUpdate, nextUpdate, ...others] = fields;
  if (issuer === undefined || thisUpdate === undefined) throw new RangeError('the list has no issuer');
  if (nextUpdate === undefined || !isTime(nextUpdate)) throw new RangeError('the list has no nextUpdate');
  refuseCriticalExtensions(others.find(({ tag }) => tag === DER_TAG.context0));
  const digest = findDigest(algorithm);
  return {
    pem,
    issuerName: Buffer.from(issuer.encoding).toString('hex'),
    thisUpdateMs: readTime(thisUpdate),
    nextUpdateMs: readTime(nextUpdate),
    serialNumbers: readSerialNumbers(others.find(({ tag }) => tag === DER_TAG.sequence)),
    // The first octet counts unused bits; a signature has none.
    isSignedBy: (publicKey) => isSignature(digest, list.encoding, publicKey, signature.content.subarray(1)),
  };
}

function isTime({ tag }: DerElement): boolean {
  return tag === DER_TAG.utcTime || tag === DER_TAG.generalizedTime;
}

function refuseCriticalExtensions(wrapper: DerElement | undefined): void {
  if (wrapper === undefined) return;
  const extensions = readElements(getElement(readElements(wrapper.content), DER_TAG.sequence).content);
  const isCritical = extensions.some((extension) =>
    readElements(extension.content).some(({ tag }) => tag === DER_TAG.boolean),
  );
  if (isCritical) throw new RangeError('the list has a critical extension');
}

function findDigest(algorithm: DerElement): string | null {
  const { content } = getElement(readElements(algorithm.content), DER_TAG.objectIdentifier);
  const digest = DIGEST_OF_SIGNATURE_ALGORITHM[Buffer.from(content).toString('hex')];
  if (digest === undefined) throw new RangeError('the list is signed with an algorithm that is not accepted');
  return digest;
}

function readSerialNumbers(revoked: DerElement | undefined): ReadonlySet<string> {
  if (revoked === undefined) return new Set();
  const entries = readElements(revoked.content);
  return new Set(
    entries.map(({ content }) => toHex(getElement(readElements(content), DER_TAG.integer).content)),
  );
}

function isSignature(
  digest: string | null,
  message: Uint8Array,
  publicKey: KeyObject,
  signature: Uint8Array,
): boolean {
  try {
    return verify(digest, message, publicKey, signature);
  } catch {
    // The key type does not match the algorithm.
    return false;
  }
}
