import { isIP } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';

import { systemClock } from '../../base/clock.ts';
import { runInChild } from '../../base/process/run-in-child.ts';
import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';
import { CertificateError } from './certificate-error.ts';
import type {
  CertificateRequest,
  KeyPair,
  RevocationRequest,
  RevokedCertificate,
  ServerNames,
  SigningKeyType,
} from './certificate-request.ts';

export type { KeyPair, ServerNames, SigningKeyType } from './certificate-request.ts';

/**
 * Default validity of a server or client certificate, in days: the maximum that Apple's systems accept for a server, even with a
 * manually trusted issuer (support.apple.com/HT210176). Some clients reject longer validities; shorter ones mean more work on
 * unattended gateways.
 */
const LEAF_DAYS = 825;

/** Default validity of a certificate authority, in days: ten years, the life of a gateway. */
const AUTHORITY_DAYS = 3653;

// Upper bound of a common name (RFC 5280, appendix A.1, ub-common-name).
const MAXIMUM_COMMON_NAME_LENGTH = 64;

// RFC 5280, 4.2.1.6: dNSName in the preferred name syntax of RFC 1034, 3.5.
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

// A small, busy board takes more than half a minute for a key.
const TIME_LIMIT_MS = 120_000;
// Keys are generated outside of the heap; the heap contains the request, at most a long list of revoked certificates.
const HEAP_MIB = 256;
const MAXIMUM_ANSWER_BYTES = 1_048_576;

/**
 * Lists the names of this machine: `localhost`, its host name, and the loopback addresses.
 *
 * @param name host name of the machine; omitted if it is not allowed in a certificate
 */
export function listLocalNames(name: string = hostname()): ServerNames {
  const names = HOST_NAME.test(name) ? ['localhost', name.toLowerCase()] : ['localhost'];
  return { hostNames: [...new Set(names)], addresses: ['127.0.0.1', '::1'] };
}

/**
 * Creates a self-signed server certificate, which clients must trust explicitly.
 *
 * @throws {CertificateError} as {@link issueServerCertificate}
 */
export async function makeSelfSignedServerCertificate(
  names: ServerNames,
  days = LEAF_DAYS,
): Promise<KeyPair> {
  return makeServerCertificate(undefined, names, days);
}

/**
 * Creates a private certificate authority for server and client certificates, without further authorities.
 *
 * @param commonName 1 to 64 characters
 * @throws {CertificateError} as {@link issueServerCertificate}
 */
export async function makeCertificateAuthority(commonName: string, days = AUTHORITY_DAYS): Promise<KeyPair> {
  return make({ kind: 'authority', commonName, days });
}

/**
 * Issues a TLS server certificate, which does not outlive its issuer.
 *
 * @param names server names; the first one is also the common name
 * @throws {CertificateError} `CERTIFICATE_REQUEST_INVALID` if a name or the validity is not allowed,
 *   `CERTIFICATE_MAKER_FAILED` if the issuer cannot sign or the process fails
 */
export async function issueServerCertificate(
  issuer: KeyPair,
  names: ServerNames,
  days = LEAF_DAYS,
): Promise<KeyPair> {
  return makeServerCertificate(issuer, names, days);
}

/**
 * Issues a client certificate for an identity, which does not outlive its issuer.
 *
 * @param commonName name of the identity, at most 64 characters
 * @throws {CertificateError} as {@link issueServerCertificate}
 */
export async function issueClientCertificate(
  issuer: KeyPair,
  commonName: string,
  days = LEAF_DAYS,
): Promise<KeyPair> {
  return make({ kind: 'client', commonName, days, issuer });
}

/** Parameters of a token signing key. */
interface TokenSignerRequest {
  /** 1 to 64 characters. */
  readonly commonName: string;
  readonly keyType: SigningKeyType;
  /** Milliseconds since the epoch; the validity starts an hour earlier. */
  readonly nowMs: number;
  readonly days?: number;
}

/**
 * Creates a token signing key with a self-signed certificate without TLS purpose.
 *
 * @throws {CertificateError} as {@link issueServerCertificate}
 */
export async function makeTokenSigner({
  commonName,
  keyType,
  nowMs,
  days = AUTHORITY_DAYS,
}: TokenSignerRequest): Promise<KeyPair> {
  return make({ kind: 'token-signer', commonName, keyType, nowMs, days });
}

async function makeServerCertificate(
  issuer: KeyPair | undefined,
  names: ServerNames,
  days: number,
): Promise<KeyPair> {
  const wrong =
    names.hostNames.find((name) => !HOST_NAME.test(name)) ??
    names.addresses.find((address) => isIP(address) === 0);
  if (wrong !== undefined) throw refuse(`"${wrong}" is neither a host name nor an IP address`);
  const all = [...names.hostNames, ...names.addresses];
  // Clients only check the alternative names (RFC 9525, 6.3), so any short name can be the common name.
  const commonName = all.find((name) => name.length <= MAXIMUM_COMMON_NAME_LENGTH);
  if (commonName === undefined) throw refuse('a server certificate needs a name of at most 64 characters');
  return make({ kind: 'server', commonName, days, names, issuer });
}

/**
 * Creates the certificate revocation list of an authority.
 *
 * @returns the list, PEM
 * @throws {CertificateError} as {@link issueServerCertificate}
 */
export async function makeRevocationList(
  issuer: KeyPair,
  number: number,
  revoked: readonly RevokedCertificate[],
  days = AUTHORITY_DAYS,
): Promise<string> {
  const request = { kind: 'revocation-list', issuer, number, days, revoked } as const;
  return (await runProcess(request, 'the certificate revocation list')).certificate;
}

async function make(request: CertificateRequest): Promise<KeyPair> {
  checkRequest(request);
  return runProcess(request, `the certificate for "${request.commonName}"`);
}

async function runProcess(
  request: CertificateRequest | RevocationRequest,
  product: string,
): Promise<KeyPair> {
  try {
    const answer = await runInChild({
      program: path.join(import.meta.dirname, 'certificate-process'),
      input: JSON.stringify(request),
      heapMib: HEAP_MIB,
      timeLimitMs: TIME_LIMIT_MS,
      maximumAnswerBytes: MAXIMUM_ANSWER_BYTES,
      clock: systemClock,
    });
    return JSON.parse(answer.toString()) as KeyPair;
  } catch (cause) {
    throw new CertificateError({
      code: 'CERTIFICATE_MAKER_FAILED',
      detail: `cannot create ${product}`,
      cause,
    });
  }
}

function checkRequest({ commonName, days }: CertificateRequest): void {
  if (commonName.length === 0 || commonName.length > MAXIMUM_COMMON_NAME_LENGTH) {
    throw refuse(`a common name has 1 to ${MAXIMUM_COMMON_NAME_LENGTH} characters`);
  }
  if (HIDDEN_CHARACTER.test(commonName)) throw refuse('a common name holds visible characters only');
  if (!Number.isInteger(days) || days < 1 || days > 36_525) {
    throw refuse('a certificate is valid for a whole number of days, 1 to 36525');
  }
}

function refuse(detail: string): CertificateError {
  return new CertificateError({ code: 'CERTIFICATE_REQUEST_INVALID', detail });
}
