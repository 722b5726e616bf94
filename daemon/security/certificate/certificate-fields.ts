import type { X509Certificate } from 'node:crypto';

import { DER_TAG, getElement, readElements, toHex } from '../../base/text/der.ts';
import type { DerElement } from '../../base/text/der.ts';

/** Fields of a certificate that `X509Certificate` does not provide; its `keyUsage` is the extended key usage. */
interface CertificateFields {
  /** Serial number in the form of `toHex`. */
  readonly serialNumber: string;
  /** DER in hexadecimal. */
  readonly subjectName: string;
  /** First octet of the extension; undefined: no extension, so the key may be used for any purpose. */
  readonly keyUsage: number | undefined;
}

// id-ce-keyUsage (RFC 5280, 4.2.1.3).
const KEY_USAGE = '551d0f';
/** id-ce-subjectAltName (RFC 5280, 4.2.1.6), DER in hexadecimal. */
export const SUBJECT_ALTERNATIVE_NAME = '551d11';

/**
 * Parses the DER encoding of a certificate (RFC 5280, 4.1).
 *
 * @throws {RangeError} if the encoding is not DER, or an extension is malformed
 */
export function readFields(certificate: X509Certificate): CertificateFields {
  const fields = readSignedFields(certificate);
  // Algorithm, issuer, validity and subject, in this order.
  const subject = fields.filter(({ tag }) => tag === DER_TAG.sequence)[3];
  const keyUsage = findExtension(certificate, KEY_USAGE);
  return {
    serialNumber: toHex(getElement(fields, DER_TAG.integer).content),
    subjectName: Buffer.from(subject?.encoding ?? []).toString('hex'),
    // The first octet of a bit string counts unused bits.
    keyUsage:
      keyUsage === undefined
        ? undefined
        : (getElement(readElements(keyUsage.value), DER_TAG.bitString).content[1] ?? 0),
  };
}

/**
 * Returns an extension of a certificate: its whole encoding, and the value within (RFC 5280, 4.1).
 *
 * @param identifier DER content of its object identifier, in hexadecimal
 * @throws {RangeError} if the encoding is not DER
 */
export function findExtension(
  certificate: X509Certificate,
  identifier: string,
): { readonly encoding: Uint8Array; readonly value: Uint8Array } | undefined {
  const wrapper = readSignedFields(certificate).find(({ tag }) => tag === DER_TAG.context3);
  if (wrapper === undefined) return undefined;
  const extensions = getElement(readElements(wrapper.content), DER_TAG.sequence).content;
  for (const { encoding, content } of readElements(extensions)) {
    const fields = readElements(content);
    const name = getElement(fields, DER_TAG.objectIdentifier).content;
    if (Buffer.from(name).toString('hex') !== identifier) continue;
    return { encoding, value: getElement(fields, DER_TAG.octetString).content };
  }
  return undefined;
}

function readSignedFields(certificate: X509Certificate): readonly DerElement[] {
  const [outer] = readElements(certificate.raw);
  const [toBeSigned] = readElements(outer?.content ?? new Uint8Array());
  return readElements(toBeSigned?.content ?? new Uint8Array());
}
