import type { X509Certificate } from 'node:crypto';

import { DER_TAG, getElement, readElements, toHex } from '../../base/text/der.ts';

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

/**
 * Parses the DER encoding of a certificate (RFC 5280, 4.1).
 *
 * @throws {RangeError} if the encoding is not DER, or an extension is malformed
 */
export function readFields(certificate: X509Certificate): CertificateFields {
  const [outer] = readElements(certificate.raw);
  const [toBeSigned] = readElements(outer?.content ?? new Uint8Array());
  const fields = readElements(toBeSigned?.content ?? new Uint8Array());
  // Algorithm, issuer, validity and subject, in this order.
  const subject = fields.filter(({ tag }) => tag === DER_TAG.sequence)[3];
  const wrapper = fields.find(({ tag }) => tag === DER_TAG.context3);
  return {
    serialNumber: toHex(getElement(fields, DER_TAG.integer).content),
    subjectName: Buffer.from(subject?.encoding ?? []).toString('hex'),
    keyUsage: wrapper === undefined ? undefined : readKeyUsage(wrapper.content),
  };
}

function readKeyUsage(extensions: Uint8Array): number | undefined {
  for (const extension of readElements(getElement(readElements(extensions), DER_TAG.sequence).content)) {
    const fields = readElements(extension.content);
    const { content } = getElement(fields, DER_TAG.objectIdentifier);
    if (Buffer.from(content).toString('hex') !== KEY_USAGE) continue;
    const value = getElement(fields, DER_TAG.octetString).content;
    // The first octet of a bit string counts unused bits.
    return getElement(readElements(value), DER_TAG.bitString).content[1] ?? 0;
  }
  return undefined;
}
