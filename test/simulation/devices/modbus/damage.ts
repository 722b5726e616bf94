import type { Random } from '../../world/random.ts';

/**
 * Returns what a listener in RTU mode gets of disturbed bytes: a burst of up to 16 wrong bits, which a CRC of 16 bits always
 * finds; or an end that is missing.
 */
export function damageRtu(bytes: Buffer, random: Random): Buffer {
  if (bytes.length > 2 && random.chance(0.2)) return bytes.subarray(0, random.integer(1, bytes.length - 2));
  const damaged = Buffer.from(bytes);
  const at = random.integer(0, damaged.length - 1);
  damaged[at] = (damaged[at] ?? 0) ^ random.integer(1, 255);
  if (at + 1 < damaged.length) damaged[at + 1] = (damaged[at + 1] ?? 0) ^ random.integer(0, 255);
  return damaged;
}

/** Returns what a listener in ASCII mode gets of disturbed characters: one that is none of the mode, or none at all. */
export function damageAscii(characters: Buffer, random: Random): Buffer {
  const at = random.integer(0, characters.length - 1);
  if (random.chance(0.2)) return characters.subarray(0, at);
  const damaged = Buffer.from(characters);
  // With the parity bit taken for a part of the character, as on a line with another form.
  damaged[at] = (damaged[at] ?? 0) | 0x80;
  return damaged;
}
