import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

import { readValidity } from '../../../daemon/base/key/certificate-validity.ts';
import { findKeyWeakness } from '../../../daemon/base/key/key-weakness.ts';
import type { OpcuaModule } from '../session/opcua-library.ts';
import type { TrustFiles, TrustLists } from './trust-directory.ts';

/** Reason for rejecting a certificate. */
export interface CertificateFault {
  /** StatusCode of the failed check (OPC 10000-4, 6.1.3). */
  readonly status: string;
  readonly message: string;
}

export interface CertificateCheck {
  /** As presented by the server: the certificate and its issuers, concatenated in DER. */
  readonly chain: readonly X509Certificate[];
  readonly trust: TrustLists;
  /** Name or IP address required in the certificate. */
  readonly hostName: string;
  /** The URI that the server itself presents. */
  readonly applicationUri: string;
  readonly nowMs: number;
}

/** StatusCode of a certificate that is not in the trust lists. */
export const UNTRUSTED = 'BadCertificateUntrusted';
/** StatusCode of a certificate for another host; `serverName` can accept it. */
export const OTHER_HOST = 'BadCertificateHostNameInvalid';
const REVOKED = 'BadCertificateRevoked';
const KEY_REFUSED = 'BadCertificatePolicyCheckFailed';
const UNREADABLE_KEY: CertificateFault = {
  status: 'BadCertificateInvalid',
  message: 'the key in the server certificate cannot be read',
};
const MAXIMUM_CHAIN_LENGTH = 8;

/**
 * Parses a chain of certificates.
 *
 * @returns empty if it contains anything else
 */
export function parseChain(der: Buffer, { crypto_utils: crypto }: OpcuaModule): readonly X509Certificate[] {
  try {
    return crypto
      .split_der(der)
      .slice(0, MAXIMUM_CHAIN_LENGTH)
      .map((each) => new X509Certificate(each));
  } catch {
    return [];
  }
}

/**
 * Validates the identity and trust of a server by the steps of OPC 10000-4, 6.1.3.
 *
 * @returns undefined if it is valid and trusted
 */
export function findCertificateFault(
  check: CertificateCheck,
  library: OpcuaModule,
): CertificateFault | undefined {
  return listCertificateFaults(check, library)[0];
}

/** Lists all reasons for rejecting a server certificate, in the order of those steps. */
export function listCertificateFaults(
  check: CertificateCheck,
  library: OpcuaModule,
): readonly CertificateFault[] {
  const [leaf] = check.chain;
  if (leaf === undefined) {
    return [{ status: 'BadCertificateInvalid', message: 'the server presents no readable certificate' }];
  }
  return [
    findTrustFault(leaf, check, library),
    findValidityFault(leaf, check.nowMs, 'the certificate of the server'),
    findUnreadableKey(leaf) ?? findKindFault(leaf) ?? findKeyFault(leaf, 'the server'),
    findHostFault(leaf, check),
    findUriFault(leaf, check),
  ].filter((fault) => fault !== undefined);
}

/** Checks if a certificate or one of its issuers is trusted; undefined if so. */
export function findTrustFault(
  leaf: X509Certificate,
  { chain, trust, nowMs }: Pick<CertificateCheck, 'chain' | 'trust' | 'nowMs'>,
  library: OpcuaModule,
): CertificateFault | undefined {
  const { trusted, issuers } = trust;
  const candidates = [...trusted.certificates, ...issuers.certificates, ...chain.slice(1)];
  let isTrusted = includes(trusted, leaf);
  if (isTrusted) return findOwnRevocation(leaf, candidates, trust, nowMs, library);
  let subject = leaf;
  for (let depth = 0; depth < MAXIMUM_CHAIN_LENGTH && !isSelfIssued(subject); depth += 1) {
    const issuer = candidates.find((candidate) => hasIssued(candidate, subject));
    if (issuer === undefined) break;
    const fault =
      findValidityFault(issuer, nowMs, `the certificate of its issuer ${nameOf(issuer)}`) ??
      findKeyFault(issuer, `its issuer ${nameOf(issuer)}`) ??
      findRevocation(subject, issuer, trust, nowMs, library);
    if (fault !== undefined) return fault;
    isTrusted ||= includes(trusted, issuer);
    subject = issuer;
  }
  if (isTrusted) return undefined;
  return { status: UNTRUSTED, message: 'the server certificate is not trusted' };
}

/** True if the certificate itself is in a list. */
export function includes({ certificates }: TrustFiles, wanted: X509Certificate): boolean {
  return certificates.some(({ raw }) => raw.equals(wanted.raw));
}

function isSelfIssued({ subject, issuer }: X509Certificate): boolean {
  return subject === issuer;
}

function hasIssued(issuer: X509Certificate, subject: X509Certificate): boolean {
  return issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
}

// A directly trusted certificate needs no revocation list of its issuer, but an existing list counts.
function findOwnRevocation(
  leaf: X509Certificate,
  candidates: readonly X509Certificate[],
  trust: TrustLists,
  nowMs: number,
  library: OpcuaModule,
): CertificateFault | undefined {
  const issuer = candidates.find((candidate) => hasIssued(candidate, leaf));
  const fault = issuer === undefined ? undefined : findRevocation(leaf, issuer, trust, nowMs, library);
  return fault?.status === REVOKED ? fault : undefined;
}

// Without a list the revoked certificates of the issuer are unknown.
function findRevocation(
  subject: X509Certificate,
  issuer: X509Certificate,
  { trusted, issuers }: TrustLists,
  nowMs: number,
  { crypto_utils: crypto }: OpcuaModule,
): CertificateFault | undefined {
  const lists = [...trusted.revocationLists, ...issuers.revocationLists].flatMap((der) => {
    try {
      if (!crypto.isCrlIssuedByCertificate(der, issuer.raw)) return [];
      if (!crypto.verifyCertificateRevocationListSignature(der, issuer.raw)) return [];
      return [crypto.exploreCertificateRevocationList(der).tbsCertList];
    } catch {
      return [];
    }
  });
  const serial = normalizeSerial(subject.serialNumber);
  const isRevoked = lists.some(({ revokedCertificates }) =>
    revokedCertificates.some(({ userCertificate }) => normalizeSerial(userCertificate) === serial),
  );
  if (isRevoked) {
    return { status: REVOKED, message: `the certificate of ${nameOf(subject)} was revoked` };
  }
  const isKnown = lists.some(
    ({ thisUpdate, nextUpdate }) =>
      thisUpdate.getTime() <= nowMs && (nextUpdate?.getTime() ?? Infinity) > nowMs,
  );
  if (isKnown) return undefined;
  const message = `no current revocation list of ${nameOf(issuer)}`;
  return { status: 'BadCertificateRevocationUnknown', message };
}

function normalizeSerial(text: string): string {
  return text.replaceAll(':', '').toUpperCase().replace(/^0+/, '');
}

function findValidityFault(
  certificate: X509Certificate,
  nowMs: number,
  what: string,
): CertificateFault | undefined {
  const status = 'BadCertificateTimeInvalid';
  const { fromMs, untilMs } = readValidity(certificate);
  // OpenSSL accepts any time and parses it later.
  if (Number.isNaN(fromMs) || Number.isNaN(untilMs)) {
    return { status, message: `${what} has an unreadable validity period` };
  }
  if (nowMs < fromMs)
    return { status, message: `${what} is valid from ${new Date(fromMs).toISOString()} on` };
  if (nowMs <= untilMs) return undefined;
  return { status, message: `${what} expired at ${new Date(untilMs).toISOString()}` };
}

// OpenSSL parses the key of a certificate late. Keys of issuers have been used before.
function findUnreadableKey(certificate: X509Certificate): CertificateFault | undefined {
  try {
    return certificate.publicKey.asymmetricKeyType === undefined ? UNREADABLE_KEY : undefined;
  } catch {
    return UNREADABLE_KEY;
  }
}

// All supported security policies require RSA.
function findKindFault({ publicKey }: X509Certificate): CertificateFault | undefined {
  if (publicKey.asymmetricKeyType === 'rsa') return undefined;
  return { status: KEY_REFUSED, message: 'the server key is not an RSA key' };
}

function findKeyFault({ publicKey }: X509Certificate, what: string): CertificateFault | undefined {
  const weakness = findKeyWeakness(publicKey);
  return weakness === undefined
    ? undefined
    : { status: KEY_REFUSED, message: `the key of ${what} ${weakness}` };
}

function findHostFault(leaf: X509Certificate, { hostName }: CertificateCheck): CertificateFault | undefined {
  const isHost = isIP(hostName) === 0 ? leaf.checkHost(hostName) : leaf.checkIP(hostName);
  if (isHost !== undefined) return undefined;
  const message = `the server certificate is not valid for ${hostName}; it is for ${namesOf(leaf)}`;
  return { status: OTHER_HOST, message };
}

function findUriFault(
  leaf: X509Certificate,
  { applicationUri }: CertificateCheck,
): CertificateFault | undefined {
  if (namesOf(leaf).split(', ').includes(`URI:${applicationUri}`)) return undefined;
  const message = `the server certificate is not valid for its application URI ${applicationUri}; it is for ${namesOf(leaf)}`;
  return { status: 'BadCertificateUriInvalid', message };
}

function namesOf({ subjectAltName }: X509Certificate): string {
  return subjectAltName ?? 'no name';
}

function nameOf({ subject }: X509Certificate): string {
  // Undefined if the certificate has no name.
  const name: string | undefined = subject;
  return name?.replaceAll('\n', ', ') ?? 'an authority without name';
}
