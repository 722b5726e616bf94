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
 * Days that a certificate of a server or client is valid unless asked otherwise: the longest that Apple's systems accept
 * of a server, even when its issuer was trusted by hand (support.apple.com/HT210176). Longer would be refused by some
 * clients, shorter means more work on unattended gateways.
 */
const LEAF_DAYS = 825;

/** Days that a certificate authority is valid unless asked otherwise: ten years, the life of a gateway. */
const AUTHORITY_DAYS = 3653;

// Upper bound of a common name (RFC 5280, appendix A.1, ub-common-name).
const MAXIMUM_COMMON_NAME_LENGTH = 64;

// RFC 5280, 4.2.1.6: dNSName in the preferred name syntax of RFC 1034, 3.5.
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

// A small board with other work takes more than half a minute for a key.
const TIME_LIMIT_MS = 120_000;
// Keys are generated outside of the heap; it holds the request, with a long list of revoked certificates at most.
const HEAP_MIB = 256;
const MAXIMUM_ANSWER_BYTES = 1_048_576;

/**
 * Lists the names of this machine: `localhost`, its host name, and the loopback addresses.
 *
 * @param name host name of the machine; left out when it is no name that a certificate can carry
 */
export function listLocalNames(name: string = hostname()): ServerNames {
  const names = HOST_NAME.test(name) ? ['localhost', name.toLowerCase()] : ['localhost'];
  return { hostNames: [...new Set(names)], addresses: ['127.0.0.1', '::1'] };
}

/**
 * Creates a self-signed server certificate; clients have to be told to trust it.
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
 * Creates a private certificate authority that may issue certificates of servers and clients, not of further authorities.
 *
 * @param commonName 1 to 64 characters
 * @throws {CertificateError} as {@link issueServerCertificate}
 */
export async function makeCertificateAuthority(commonName: string, days = AUTHORITY_DAYS): Promise<KeyPair> {
  return make({ kind: 'authority', commonName, days });
}

/**
 * Issues a certificate for TLS servers; it ends no later than its issuer.
 *
 * @param names the first one is the common name as well
 * @throws {CertificateError} `CERTIFICATE_REQUEST_INVALID` when a name or the number of days cannot stand in a
 *   certificate, `CERTIFICATE_MAKER_FAILED` when the issuer cannot sign or the process fails
 */
export async function issueServerCertificate(
  issuer: KeyPair,
  names: ServerNames,
  days = LEAF_DAYS,
): Promise<KeyPair> {
  return makeServerCertificate(issuer, names, days);
}

/**
 * Issues a certificate by which a client proves an identity; it ends no later than its issuer.
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

/** Parameters of a key that signs tokens. */
interface TokenSignerRequest {
  /** 1 to 64 characters. */
  readonly commonName: string;
  readonly keyType: SigningKeyType;
  /** Milliseconds since the epoch; the days of the certificate begin an hour before. */
  readonly nowMs: number;
  readonly days?: number;
}

/**
 * Creates a key that signs tokens, with a self-signed certificate that is of no use in TLS.
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
  // Clients look at the alternative names only (RFC 9525, 6.3): the common name may be any that is short enough.
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
