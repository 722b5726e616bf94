import { createHash } from 'node:crypto';
import type { KeyObject, X509Certificate } from 'node:crypto';

import { CertificateError } from '../certificate/certificate-error.ts';
import { Unavailable } from '../base/errors.ts';
import type { TokenAlgorithm } from '../settings/token-settings.ts';
import { listAlgorithms } from './algorithms.ts';
import { TokenError } from './token-error.ts';

/** A key that signs, with the certificate by which others check it. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
}

/** A key whose signatures count. */
export interface TrustedKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  /** Those that the kind of key allows. */
  readonly algorithms: readonly TokenAlgorithm[];
  /** Period of validity of the certificate, in milliseconds since the epoch. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Nothing counts from then on; Infinity: no such end. */
  readonly trustedUntilMs: number;
}

// The members that a thumbprint is made of, in the order of RFC 7638, 3.2 and RFC 8037, 2.
const THUMBPRINT_MEMBERS = ['crv', 'e', 'kty', 'n', 'x', 'y'] as const;

/** Names a key by its JWK thumbprint with SHA-256 (RFC 7638): 43 characters of base64url. */
export function createKeyId(publicKey: KeyObject): string {
  const jwk = publicKey.export({ format: 'jwk' });
  const members = THUMBPRINT_MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]]));
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url');
}

/** Makes a signing key of its parts; that they belong together is the caller's promise. */
export function createSigningKey(privateKey: KeyObject, certificate: X509Certificate): SigningKey {
  return { kid: createKeyId(certificate.publicKey), privateKey, certificate };
}

/** Trusts the key of a certificate. */
export function trustCertificate(certificate: X509Certificate, trustedUntilMs = Infinity): TrustedKey {
  const { publicKey, validFromDate, validToDate } = certificate;
  return {
    kid: createKeyId(publicKey),
    publicKey,
    algorithms: listAlgorithms(publicKey),
    notBeforeMs: validFromDate.getTime(),
    notAfterMs: validToDate.getTime(),
    trustedUntilMs,
  };
}

// errno(3): what the machine lacks now and may have in a moment.
const PASSING = new Set([
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'EBUSY',
  'EINTR',
  'EIO',
  'ENOMEM',
  'ENOSPC',
  'ETIMEDOUT',
  'ESTALE',
]);

/** Tells what passes by itself (503) from what somebody has to put right (500). */
export function toKeyError(pid: string, cause: unknown): TokenError | Unavailable {
  if (cause instanceof TokenError || cause instanceof Unavailable) return cause;
  if (PASSING.has(errorNumberOf(cause))) {
    const detail = `the token service ${pid} is temporarily unavailable`;
    return new Unavailable({ code: 'TOKEN_SERVICE_UNAVAILABLE', detail, retryAfterSeconds: 5, cause });
  }
  return new TokenError({
    code: cause instanceof CertificateError ? cause.code : 'SIGNING_KEY_UNUSABLE',
    detail: `the signing key of the token service ${pid} cannot be used`,
    cause,
  });
}

/** Gives the name of the system error that lies beneath; empty when there is none. */
function errorNumberOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error instanceof CertificateError) return errorNumberOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
