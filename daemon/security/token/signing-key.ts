import { createHash } from 'node:crypto';
import type { KeyObject, X509Certificate } from 'node:crypto';

import { readValidity } from '../../base/key/certificate-validity.ts';
import { Unavailable } from '../../base/errors.ts';
import { CertificateError } from '../certificate/certificate-error.ts';
import type { TokenAlgorithm } from '../../settings/token-settings.ts';
import { listAlgorithms } from './algorithms.ts';
import { TokenError } from './token-error.ts';

/** A signing key with its certificate. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
}

/** A trusted verification key. */
export interface TrustedKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  /** Algorithms of the key type. */
  readonly algorithms: readonly TokenAlgorithm[];
  /** Validity period of the certificate, in milliseconds since the epoch. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** End of trust, exclusive; Infinity: no end. */
  readonly trustedUntilMs: number;
}

// Thumbprint members in the order of RFC 7638, 3.2 and RFC 8037, 2.
const THUMBPRINT_MEMBERS = ['crv', 'e', 'kty', 'n', 'x', 'y'] as const;

/** Computes a key id: the JWK thumbprint with SHA-256 (RFC 7638), 43 characters of base64url. */
export function createKeyId(publicKey: KeyObject): string {
  const jwk = publicKey.export({ format: 'jwk' });
  const members = THUMBPRINT_MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]]));
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url');
}

/** Creates a signing key from its parts; the caller guarantees that they match. */
export function createSigningKey(privateKey: KeyObject, certificate: X509Certificate): SigningKey {
  return { kid: createKeyId(certificate.publicKey), privateKey, certificate };
}

/** Creates a trusted key from a certificate. */
export function trustCertificate(certificate: X509Certificate, trustedUntilMs = Infinity): TrustedKey {
  const { publicKey } = certificate;
  const { fromMs, untilMs } = readValidity(certificate);
  return {
    kid: createKeyId(publicKey),
    publicKey,
    algorithms: listAlgorithms(publicKey),
    notBeforeMs: fromMs,
    notAfterMs: untilMs,
    trustedUntilMs,
  };
}

// errno(3): temporary shortages of resources.
const TEMPORARY = new Set([
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'EBUSY',
  'EINTR',
  'EIO',
  'ENOMEM',
  'ENOSPC',
  // A pipe or device instead of the file: the file may be hidden by a mount.
  'ENXIO',
  'ETIMEDOUT',
  'ESTALE',
]);

/** Distinguishes temporary errors (503) from those that an administrator must fix (500). */
export function toKeyError(pid: string, cause: unknown): TokenError | Unavailable {
  if (cause instanceof TokenError || cause instanceof Unavailable) return cause;
  if (TEMPORARY.has(errorNumberOf(cause))) {
    const detail = `token service ${pid} is temporarily unavailable`;
    return new Unavailable({ code: 'TOKEN_SERVICE_UNAVAILABLE', detail, retryAfterSeconds: 5, cause });
  }
  return new TokenError({
    code: cause instanceof CertificateError ? cause.code : 'SIGNING_KEY_UNUSABLE',
    detail: `cannot use the signing key of token service ${pid}`,
    cause,
  });
}

/** Returns the code of the underlying system error; empty if there is none. */
function errorNumberOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error instanceof CertificateError) return errorNumberOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
