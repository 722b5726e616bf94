const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS_PER_CHARACTER = 5;

/**
 * Encodes bytes in base32 (RFC 4648, 6), in upper case and without padding, as authenticator apps expect.
 *
 * @throws {RangeError} if their number is not a multiple of five
 */
export function toBase32(bytes: Uint8Array): string {
  if (bytes.length % BITS_PER_CHARACTER !== 0) throw new RangeError('expected a multiple of five bytes');
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((group) => ALPHABET.charAt(Number.parseInt(group, 2))).join('');
}
