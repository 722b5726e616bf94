import { createHmac } from 'node:crypto';

import { systemRandom } from '../../base/random.ts';
import type { RandomSource } from '../../base/random.ts';

/** Stands for a text that must not be written down: equal texts have equal digests. */
type NameDigest = (name: string) => string;

// 32 bits tell the names of one attack apart, and are too few to confirm a guess of what was typed.
const DIGEST_CHARACTERS = 8;

/**
 * Creates digests under a key that exists in this process only.
 *
 * An unknown name may be a password that was typed into the wrong field. With the key gone, what was stored cannot be
 * compared with guesses; the price is that a name has another digest after a restart.
 *
 * @returns a function that returns 8 hexadecimal digits of an HMAC-SHA-256
 */
export function createNameDigest(random: RandomSource = systemRandom): NameDigest {
  const key = random.bytes(32);
  return (name) => createHmac('sha256', key).update(name).digest('hex').slice(0, DIGEST_CHARACTERS);
}
