import type { RandomSource } from '../../base/random.ts';

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Creates a value for the claim `jti`: a UUID of version 7 (RFC 9562, 5.7) with 74 random bits.
 *
 * @param nowMs milliseconds since the epoch; can be read back from the identifier
 */
export function createTokenId(nowMs: number, random: RandomSource): string {
  const bytes = random.bytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns the milliseconds since the epoch in a UUID of version 7; undefined for any other text. */
export function readTokenIdTime(tokenId: string): number | undefined {
  const [, high, low] = UUID_V7.exec(tokenId) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(`${high}${low}`, 16);
}
