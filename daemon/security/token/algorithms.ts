import type { KeyObject } from 'node:crypto';

import type { SigningKeyType } from '../certificate/certificate-issuer.ts';
import { TOKEN_ALGORITHMS } from '../../settings/token-settings.ts';
import type { TokenAlgorithm } from '../../settings/token-settings.ts';

interface AlgorithmRow {
  /** `asymmetricKeyType` of node:crypto. */
  readonly keyType: string;
  /** `namedCurve` of node:crypto. */
  readonly curve?: string;
  readonly minimumBits?: number;
  /** Key type that the gateway creates for it. */
  readonly made: SigningKeyType;
}

// RFC 7518, 3.1 and RFC 8037, 3.1; the minimum size of RSA keys is that of RFC 7518, 3.3.
const ROWS: Readonly<Record<TokenAlgorithm, AlgorithmRow>> = {
  ES256: { keyType: 'ec', curve: 'prime256v1', made: 'P-256' },
  ES384: { keyType: 'ec', curve: 'secp384r1', made: 'P-384' },
  RS256: { keyType: 'rsa', minimumBits: 2048, made: 'RSA' },
  PS256: { keyType: 'rsa', minimumBits: 2048, made: 'RSA' },
  EdDSA: { keyType: 'ed25519', made: 'Ed25519' },
};

/** Returns true if the name is an algorithm of the allowlist, spelled exactly. */
export function isTokenAlgorithm(name: unknown): name is TokenAlgorithm {
  return TOKEN_ALGORITHMS.some((algorithm) => algorithm === name);
}

/** Lists the algorithms of a key; none for a weak key or an unsupported type. */
export function listAlgorithms(key: KeyObject): readonly TokenAlgorithm[] {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  return TOKEN_ALGORITHMS.filter((algorithm) => {
    const { keyType, curve, minimumBits = 0 } = ROWS[algorithm];
    return key.asymmetricKeyType === keyType && namedCurve === curve && modulusLength >= minimumBits;
  });
}

/** Returns the key type that the gateway creates for an algorithm. */
export function keyTypeOf(algorithm: TokenAlgorithm): SigningKeyType {
  return ROWS[algorithm].made;
}
