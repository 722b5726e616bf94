import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of randomness visible to clients or devices, so that simulations are reproducible. */
export interface RandomSource {
  /** Returns a number from 0 to below 1, for jitter; not for secrets. */
  fraction(): number;
  /** Returns cryptographically random bytes. */
  bytes(count: number): Buffer;
  /** Returns a UUID (RFC 9562, version 4). */
  uuid(): string;
}

/** The random source of the system. */
export const systemRandom: RandomSource = {
  fraction: Math.random,
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
};
