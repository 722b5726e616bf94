import type * as jose from 'jose';

import type { TokenAlgorithm } from '../../settings/token-settings.ts';
import type { SigningKey, TrustedKey } from './signing-key.ts';
import type { UnverifiedToken } from './token-format.ts';

type Library = typeof jose;

// Most gateways have tokens disabled, so the library is loaded lazily. Repeating the import would cost a fifth of a signature check.
let library: Library | undefined;

async function loadLibrary(): Promise<Library> {
  library = await import('jose');
  return library;
}

/**
 * Signs claims as a JWS in compact serialization (RFC 7515, 7.1).
 *
 * @param algorithm must suit the key
 */
export async function signClaims(
  claims: Readonly<Record<string, unknown>>,
  { kid, privateKey }: SigningKey,
  algorithm: TokenAlgorithm,
): Promise<string> {
  const { CompactSign } = library ?? (await loadLibrary());
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .sign(privateKey);
}

/** Returns true if this key signed the token with the algorithm of its header; false for unsuitable algorithms. */
export async function isSignedBy(
  token: UnverifiedToken,
  { publicKey, algorithms }: Pick<TrustedKey, 'publicKey' | 'algorithms'>,
): Promise<boolean> {
  if (!algorithms.includes(token.algorithm)) return false;
  const { compactVerify, errors } = library ?? (await loadLibrary());
  try {
    await compactVerify(token.text, publicKey, { algorithms: [token.algorithm] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
