import { createHmac } from 'node:crypto';

import { systemRandom } from '../../base/random.ts';
import type { RandomSource } from '../../base/random.ts';

/** Replaces a text that must not be stored; equal texts have equal digests. */
type NameDigest = (name: string) => string;

// 32 bits distinguish the names of one attack, but are too few to confirm a guess of the input.
const DIGEST_CHARACTERS = 8;

/**
 * Creates a digest function with a key that only exists in this process.
 *
 * An unknown name may be a password typed into the wrong field. Without the key, stored digests cannot be compared with guesses;
 * in return, the digest of a name changes with each restart.
 *
 * @returns a function that returns 8 hexadecimal digits of an HMAC-SHA-256
 */
export function createNameDigest(random: RandomSource = systemRandom): NameDigest {
  const key = random.bytes(32);
  return (name) => createHmac('sha256', key).update(name).digest('hex').slice(0, DIGEST_CHARACTERS);
}
