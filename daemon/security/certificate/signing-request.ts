import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { KeyObject, X509Certificate } from 'node:crypto';

import { InvalidRequest } from '../../base/errors.ts';
import { DER_TAG } from '../../base/text/der.ts';
import { writeElement, writeObjectIdentifier } from '../../base/text/der-writer.ts';
import { findExtension, SUBJECT_ALTERNATIVE_NAME } from './certificate-fields.ts';
import { encodeDistinguishedName } from './distinguished-name.ts';

const SET = 0x31;
const NULL = writeElement(0x05);
// extensionRequest (RFC 2985, 5.4.2).
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

interface Algorithm {
  readonly keyType: 'rsa' | 'ec' | 'ed25519';
  readonly identifier: string;
  /** Null: the algorithm has its own. */
  readonly digest: string | null;
}

// Names of Java; SHA-1 and MD5 are not offered.
const ALGORITHMS: readonly (readonly [name: string, algorithm: Algorithm])[] = [
  ['SHA256withRSA', { keyType: 'rsa', identifier: '1.2.840.113549.1.1.11', digest: 'sha256' }],
  ['SHA384withRSA', { keyType: 'rsa', identifier: '1.2.840.113549.1.1.12', digest: 'sha384' }],
  ['SHA512withRSA', { keyType: 'rsa', identifier: '1.2.840.113549.1.1.13', digest: 'sha512' }],
  ['SHA256withECDSA', { keyType: 'ec', identifier: '1.2.840.10045.4.3.2', digest: 'sha256' }],
  ['SHA384withECDSA', { keyType: 'ec', identifier: '1.2.840.10045.4.3.3', digest: 'sha384' }],
  ['SHA512withECDSA', { keyType: 'ec', identifier: '1.2.840.10045.4.3.4', digest: 'sha512' }],
  ['Ed25519', { keyType: 'ed25519', identifier: '1.3.101.112', digest: null }],
];

interface SigningRequestParts {
  /** PEM. */
  readonly privateKey: string;
  /** Its alternative names are requested again. */
  readonly certificate: X509Certificate;
  /** Name of Java, such as `SHA256withECDSA`, in any case. */
  readonly signatureAlgorithm: string;
  /** Distinguished name, as `CN=gateway, O=Plant`. */
  readonly subject: string;
}

/**
 * Creates a certificate signing request (PKCS #10, RFC 2986) for a key and the alternative names of its certificate.
 *
 * @returns PEM, without line feed at the end
 * @throws {InvalidRequest} `BODY_INVALID` for an algorithm that is unknown, weak or of another kind of key, or a wrong name
 */
export function makeSigningRequest(parts: SigningRequestParts): string {
  const key = createPrivateKey(parts.privateKey);
  const { identifier, digest } = chooseAlgorithm(parts.signatureAlgorithm, key);
  const body = writeElement(
    DER_TAG.sequence,
    writeElement(DER_TAG.integer, Buffer.of(0)),
    encodeDistinguishedName(parts.subject),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    writeElement(DER_TAG.context0, ...requestNames(parts.certificate)),
  );
  const algorithm = writeElement(
    DER_TAG.sequence,
    writeObjectIdentifier(identifier),
    ...(key.asymmetricKeyType === 'rsa' ? [NULL] : []),
  );
  // The first octet counts unused bits.
  const signature = writeElement(DER_TAG.bitString, Buffer.of(0), sign(digest, body, key));
  return toPem(writeElement(DER_TAG.sequence, body, algorithm, signature));
}

function chooseAlgorithm(name: string, { asymmetricKeyType }: KeyObject): Algorithm {
  const suitable = ALGORITHMS.filter(([, { keyType }]) => keyType === asymmetricKeyType);
  const wanted = suitable.find(([each]) => each.toLowerCase() === name.toLowerCase());
  if (wanted !== undefined) return wanted[1];
  const names = suitable.map(([each]) => each);
  const detail = `signatureAlgorithm: expected one for this key: ${names.join(', ')}`;
  throw new InvalidRequest({ code: 'BODY_INVALID', detail });
}

function requestNames(certificate: X509Certificate): readonly Buffer[] {
  const extension = findExtension(certificate, SUBJECT_ALTERNATIVE_NAME);
  if (extension === undefined) return [];
  const extensions = writeElement(DER_TAG.sequence, extension.encoding);
  return [
    writeElement(DER_TAG.sequence, writeObjectIdentifier(EXTENSION_REQUEST), writeElement(SET, extensions)),
  ];
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----'].join('\n');
}
