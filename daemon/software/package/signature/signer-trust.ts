import { X509Certificate } from 'node:crypto';

import { readValidity } from '../../../base/key/certificate-validity.ts';
import { findKeyWeakness } from '../../../base/key/key-weakness.ts';
import { describeFileFault } from '../../../base/file/file-fault.ts';
import { readRegularFile } from '../../../base/file/regular-file.ts';
import { DeploymentError } from '../deployment-error.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Treatment of packages without a trusted signature: accepted, accepted with a warning, or refused. */
export type SignaturePolicy = 'off' | 'warn' | 'require';

/** Result of verifying the signature of a package. An invalid signature has none: the package is refused. */
export type SignatureVerdict =
  | { readonly state: 'UNSIGNED' }
  | { readonly state: 'UNTRUSTED'; readonly reason: string }
  | { readonly state: 'TRUSTED'; readonly signer: string };

interface SignerEvidence {
  /** The certificate whose key made the signature. */
  readonly signer: X509Certificate;
  /** Certificates embedded in the signature. */
  readonly embedded: readonly X509Certificate[];
  /** Certificates of trusted signers and authorities. */
  readonly trusted: readonly X509Certificate[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

// id-kp-codeSigning and anyExtendedKeyUsage (RFC 5280, 4.2.1.12).
const CODE_SIGNING = new Set(['1.3.6.1.5.5.7.3.3', '2.5.29.37.0']);
const MAXIMUM_PATH_LENGTH = 5;

/**
 * Decides whether a signer is trusted: its certificate is in the list, or its certification path ends at an authority of the
 * list; every certificate of the path is valid now and has a key that is not weak, and that of the signer may sign code.
 */
export function evaluateSigner({ signer, embedded, trusted, nowMs }: SignerEvidence): SignatureVerdict {
  const name = commonNameOf(signer);
  const usages = signer.keyUsage as readonly string[] | undefined;
  if (usages !== undefined && !usages.some((usage) => CODE_SIGNING.has(usage))) {
    return { state: 'UNTRUSTED', reason: `the certificate of ${name} does not allow code signing` };
  }
  let current = signer;
  for (let length = 0; length < MAXIMUM_PATH_LENGTH; length += 1) {
    if (!isValidAt(current, nowMs)) {
      return { state: 'UNTRUSTED', reason: `the certificate of ${commonNameOf(current)} is not valid now` };
    }
    const weakness = findKeyWeakness(current.publicKey);
    if (weakness !== undefined) {
      return { state: 'UNTRUSTED', reason: `the key of ${commonNameOf(current)} ${weakness}` };
    }
    if (trusted.some((anchor) => anchor.raw.equals(current.raw))) return { state: 'TRUSTED', signer: name };
    const issuer = [...trusted, ...embedded].find((candidate) => isIssuerOf(candidate, current));
    if (issuer === undefined) break;
    current = issuer;
  }
  return { state: 'UNTRUSTED', reason: `${name}, who signed the package, is not trusted` };
}

function isIssuerOf(candidate: X509Certificate, certificate: X509Certificate): boolean {
  return candidate.ca && certificate.checkIssued(candidate) && certificate.verify(candidate.publicKey);
}

function isValidAt(certificate: X509Certificate, nowMs: number): boolean {
  const { fromMs, untilMs } = readValidity(certificate);
  return fromMs <= nowMs && nowMs <= untilMs;
}

function commonNameOf({ subject }: X509Certificate): string {
  const name = /^CN=(.*)$/m.exec(subject)?.[1] ?? 'a signer without a common name';
  return name.slice(0, 100);
}

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
