import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of randomness for what a client or a device can see, so that a simulated world can repeat itself. */
export interface RandomSource {
  /** Returns a number from 0 to 1 without 1, for jitter; it is not for secrets. */
  fraction(): number;
  /** Returns bytes that cannot be guessed. */
  bytes(count: number): Buffer;
  /** Returns a UUID (RFC 9562, version 4). */
  uuid(): string;
}

/** The randomness of the machine. */
export const systemRandom: RandomSource = {
  fraction: Math.random,
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
};
