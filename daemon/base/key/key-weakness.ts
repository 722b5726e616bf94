import type { KeyObject } from 'node:crypto';

import { DER_TAG, getElement, readElements } from '../text/der.ts';
import { findRsaWeakness } from './rsa-weakness.ts';

/** The parts of a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7). */
interface PublicKeyParts {
  readonly algorithm: Uint8Array;
  readonly key: Uint8Array;
}

// Curves of 224 bits and more have the 112 bits of security that RSA has at 2048 bits (NIST SP 800-57 part 1, 5.6.1.1).
const CURVES: ReadonlySet<string | undefined> = new Set([
  'secp224r1',
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'secp256k1',
  ...['224', '256', '320', '384', '512'].flatMap((bits) => [`brainpoolP${bits}r1`, `brainpoolP${bits}t1`]),
]);

const ED25519_PRIME = 2n ** 255n - 19n;
const ED448_PRIME = 2n ** 448n - 2n ** 224n - 1n;

// The y of the points whose order is 8; those of order 1, 2 and 4 have 1, -1 and 0 (RFC 8032, 5.1).
const ED25519_ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/**
 * Finds the weakness of a key with which third parties can sign, or soon could.
 *
 * @param key the public key, also of a private key
 * @returns text that continues "the key"; undefined: no weakness
 */
export function findKeyWeakness(key: KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss':
      return findRsaWeaknessOf(key);
    case 'ec':
      return findCurveWeakness(key);
    case 'ed25519':
      return findOrderWeakness(key, ED25519_PRIME, [ED25519_ORDER_8, ED25519_PRIME - ED25519_ORDER_8]);
    case 'ed448':
      return findOrderWeakness(key, ED448_PRIME, []);
    default:
      return `has the type ${key.asymmetricKeyType ?? key.type}; expected RSA, EC, Ed25519 or Ed448`;
  }
}

function findRsaWeaknessOf(key: KeyObject): string | undefined {
  // RSAPublicKey (RFC 8017, A.1.1).
  const [sequence] = readElements(readParts(key).key);
  const [modulus, exponent] = readElements(sequence?.content ?? new Uint8Array()).map(({ content }) =>
    toUnsigned(content),
  );
  return findRsaWeakness(modulus ?? 0n, exponent ?? 0n);
}

function findCurveWeakness(key: KeyObject): string | undefined {
  const { namedCurve } = key.asymmetricKeyDetails ?? {};
  if (!CURVES.has(namedCurve)) {
    return `is on the curve ${namedCurve ?? 'of an unknown name'}; expected at least 224 bits`;
  }
  try {
    // RFC 5480, 2.1.1: only named curves, because parameters can be chosen so that the private key is known.
    const isNamed = readElements(readParts(key).algorithm)[1]?.tag === DER_TAG.objectIdentifier;
    return isNamed ? undefined : 'has explicit curve parameters; expected a named curve';
  } catch {
    // OpenSSL reads no point outside of the curve, but the one at infinity, which it does not write.
    return 'is the point at infinity';
  }
}

/** On a point of small order, anyone finds signatures that hold for it (RFC 8032, 8.4). */
function findOrderWeakness(key: KeyObject, prime: bigint, weak: readonly bigint[]): string | undefined {
  const octets = Buffer.from(readParts(key).key.toReversed());
  // The first bit is the sign of x; Ed448 has an octet for it.
  octets[0] = (octets[0] ?? 0) & 0x7f;
  const y = toUnsigned(octets) % prime;
  return [0n, 1n, prime - 1n, ...weak].includes(y) ? 'is a point of small order' : undefined;
}

function readParts(key: KeyObject): PublicKeyParts {
  const [outer] = readElements(key.export({ type: 'spki', format: 'der' }));
  const fields = readElements(outer?.content ?? new Uint8Array());
  return {
    algorithm: getElement(fields, DER_TAG.sequence).content,
    // The first octet of a bit string counts unused bits.
    key: getElement(fields, DER_TAG.bitString).content.subarray(1),
  };
}

function toUnsigned(octets: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(octets).toString('hex')}`);
}
