import { CompactSign, compactVerify, errors } from 'jose';

import type { TokenAlgorithm } from '../settings/token-settings.ts';
import type { SigningKey, TrustedKey } from './signing-key.ts';
import type { UnverifiedToken } from './token-format.ts';

/**
 * Signs claims as a JWS in compact serialization (RFC 7515, 7.1).
 *
 * @param algorithm has to suit the key
 */
export async function signClaims(
  claims: Readonly<Record<string, unknown>>,
  { kid, privateKey }: SigningKey,
  algorithm: TokenAlgorithm,
): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .sign(privateKey);
}

/** Whether this key signed the token with the algorithm that its header names; false for one that the key is not for. */
export async function isSignedBy(
  token: UnverifiedToken,
  { publicKey, algorithms }: Pick<TrustedKey, 'publicKey' | 'algorithms'>,
): Promise<boolean> {
  if (!algorithms.includes(token.algorithm)) return false;
  try {
    await compactVerify(token.text, publicKey, { algorithms: [token.algorithm] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
