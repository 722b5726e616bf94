import { createHash, timingSafeEqual } from 'node:crypto';

import type { RandomSource } from '../../../base/random.ts';
import { toBase32 } from './base32.ts';

/** Codes of one set; each works once. */
const RECOVERY_CODES = 10;

// 80 bits cannot be guessed, not even from a digest; sixteen characters can be typed.
const RANDOM_BYTES = 10;
const FORM = /^[A-Z2-7]{16}$/;

/** Creates codes to be shown once, each of four groups such as `ABCD-EFGH-IJKL-MNOP`. */
export function createRecoveryCodes(random: RandomSource): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    (toBase32(random.bytes(RANDOM_BYTES)).match(/.{4}/g) ?? []).join('-'),
  );
}

/**
 * Returns the digest under which a code is kept, in hexadecimal. A plain hash suffices: a code has more random bits than
 * anybody can try, unlike a password.
 *
 * @param identityId makes the digests of two identities differ
 * @param text as typed: in any case, with or without hyphens and white space
 * @returns undefined for what is no recovery code
 */
export function digestRecoveryCode(identityId: string, text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase();
  return FORM.test(code) ? createHash('sha256').update(`${identityId} ${code}`).digest('hex') : undefined;
}

/** Returns the digests without this one, found in a time that reveals nothing; undefined when it is not among them. */
export function takeDigest(digests: readonly string[], digest: string): readonly string[] | undefined {
  const given = Buffer.from(digest);
  const left = digests.filter((kept) => {
    const expected = Buffer.from(kept);
    return expected.length !== given.length || !timingSafeEqual(expected, given);
  });
  return left.length === digests.length ? undefined : left;
}
