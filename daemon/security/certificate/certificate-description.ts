import type { KeyObject, X509Certificate } from 'node:crypto';

import { DER_TAG, getElement, readElements } from '../../base/text/der.ts';
import { findExtension, SUBJECT_ALTERNATIVE_NAME } from './certificate-fields.ts';

// Bits of the order of a curve, by the name of OpenSSL.
const CURVE_BITS: Readonly<Record<string, number>> = {
  secp224r1: 224,
  prime256v1: 256,
  secp256k1: 256,
  secp384r1: 384,
  secp521r1: 521,
};
const EDWARDS_BITS: Readonly<Record<string, number>> = { ed25519: 255, ed448: 448 };

// GeneralName (RFC 5280, 4.2.1.6): rfc822Name, dNSName and uniformResourceIdentifier have a text, iPAddress has octets.
const TEXT_NAMES: ReadonlySet<number> = new Set([1, 2, 6]);
const ADDRESS_NAME = 7;
const CONTEXT_CLASS = 0x80;

/** Describes a key in the words of Java: `RSA`, `EC` or `EdDSA`, and its bits; 0 bits: unknown. */
export function describeKey({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): {
  readonly kind: string;
  readonly bits: number;
} {
  const { modulusLength, namedCurve = '' } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'rsa' || asymmetricKeyType === 'rsa-pss')
    return { kind: 'RSA', bits: modulusLength ?? 0 };
  if (asymmetricKeyType === 'ec') return { kind: 'EC', bits: CURVE_BITS[namedCurve] ?? 0 };
  return { kind: 'EdDSA', bits: EDWARDS_BITS[asymmetricKeyType ?? ''] ?? 0 };
}

/** Returns the signature algorithm of a certificate as Java names it, such as `SHA256withECDSA`. */
export function formatSignature({ signatureAlgorithm = 'UNKNOWN' }: X509Certificate): string {
  const [, ofRsa] = /^(sha\d+)WithRSAEncryption$/i.exec(signatureAlgorithm) ?? [];
  if (ofRsa !== undefined) return `${ofRsa.toUpperCase()}withRSA`;
  const [, ofEc] = /^ecdsa-with-(sha\d+)$/i.exec(signatureAlgorithm) ?? [];
  return ofEc === undefined ? signatureAlgorithm : `${ofEc.toUpperCase()}withECDSA`;
}

/**
 * Formats a name with its most specific part first (RFC 2253).
 *
 * @param lines one part in each line, as `X509Certificate` has it
 */
export function formatName(lines: string): string {
  return lines.split('\n').toReversed().join(',');
}

/** Lists e-mail, DNS, URI and IP alternative names with the number of their GeneralName; IPv6 with all its groups. */
export function readAlternativeNames(
  certificate: X509Certificate,
): readonly { readonly kind: number; readonly text: string }[] {
  const extension = findExtension(certificate, SUBJECT_ALTERNATIVE_NAME);
  if (extension === undefined) return [];
  return readElements(getElement(readElements(extension.value), DER_TAG.sequence).content).flatMap(
    ({ tag, content }) => {
      const kind = tag - CONTEXT_CLASS;
      if (TEXT_NAMES.has(kind)) return [{ kind, text: Buffer.from(content).toString('latin1') }];
      return kind === ADDRESS_NAME ? [{ kind, text: formatAddress(content) }] : [];
    },
  );
}

function formatAddress(octets: Uint8Array): string {
  if (octets.length === 4) return octets.join('.');
  const groups: string[] = [];
  for (let index = 0; index + 1 < octets.length; index += 2) {
    groups.push((((octets[index] ?? 0) << 8) | (octets[index + 1] ?? 0)).toString(16));
  }
  return groups.join(':');
}
