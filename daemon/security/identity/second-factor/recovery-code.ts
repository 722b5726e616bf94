import { createHash, timingSafeEqual } from 'node:crypto';

import type { RandomSource } from '../../../base/random.ts';
import { toBase32 } from './base32.ts';

/** Codes of one set; each is single-use. */
const RECOVERY_CODES = 10;

// 80 bits cannot be guessed, not even from a digest, and sixteen characters can be typed.
const RANDOM_BYTES = 10;
const FORM = /^[A-Z2-7]{16}$/;

/** Creates codes of four groups such as `ABCD-EFGH-IJKL-MNOP`, to be shown once. */
export function createRecoveryCodes(random: RandomSource): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    (toBase32(random.bytes(RANDOM_BYTES)).match(/.{4}/g) ?? []).join('-'),
  );
}

/**
 * Returns the stored digest of a code, in hexadecimal. A plain hash suffices: unlike a password, a code has too many random bits
 * for brute force.
 *
 * @param identityId salt, so that the digests of two identities differ
 * @param text as typed: in any case, with or without hyphens and white space
 * @returns undefined if the text is not a recovery code
 */
export function digestRecoveryCode(identityId: string, text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase();
  return FORM.test(code) ? createHash('sha256').update(`${identityId} ${code}`).digest('hex') : undefined;
}

/** Removes a digest from a list, in constant time; undefined if the list does not contain it. */
export function takeDigest(digests: readonly string[], digest: string): readonly string[] | undefined {
  const given = Buffer.from(digest);
  const left = digests.filter((kept) => {
    const expected = Buffer.from(kept);
    return expected.length !== given.length || !timingSafeEqual(expected, given);
  });
  return left.length === digests.length ? undefined : left;
}
