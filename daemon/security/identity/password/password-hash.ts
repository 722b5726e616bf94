import { timingSafeEqual } from 'node:crypto';

import type { Clock } from '../../../base/clock.ts';
import { InvalidRequest } from '../../../base/errors.ts';
import type { QueueSource } from '../../../base/sharing/fair-queue.ts';
import { systemRandom } from '../../../base/random.ts';
import type { RandomSource } from '../../../base/random.ts';
import { DEFAULT_COST, formatPhc, isSameCost, readPhc } from './argon2-phc.ts';
import type { Argon2Cost } from './argon2-phc.ts';
import { PasswordHashPool } from './password-hash-pool.ts';
import { startHashThread } from './password-hash-thread.ts';
import type { HashThread } from './password-hash-thread.ts';

/** Hashes and verifies passwords in dedicated threads, outside of the main thread and the libuv thread pool. */
export interface PasswordHasher {
  /**
   * Creates a PHC string with a new salt. The password is used unchanged.
   *
   * @param source queue of the computation
   * @throws {InvalidRequest} `PASSWORD_NOT_USABLE` if it is empty, longer than 1024 characters, or not Unicode text
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL`, `PASSWORD_HASHING_FAILED`, `PASSWORD_HASHING_STOPPED`
   */
  hash(password: string, source: QueueSource): Promise<string>;
  /**
   * Returns true if the password matches the hash. Always costs one hash, even if the hash is missing or invalid, or the password
   * is not valid.
   *
   * @throws {Unavailable} as `hash` does
   */
  verify(password: string, passwordHash: string | undefined, source: QueueSource): Promise<boolean>;
  /** Returns true if the parameters of the hash differ from those of new hashes. */
  needsRehash(passwordHash: string): boolean;
  /** Terminates the threads and rejects queued computations. */
  stop(): Promise<void>;
}

interface PasswordHasherOptions {
  readonly clock: Clock;
  /** Parameters of new hashes. */
  readonly cost?: Argon2Cost | undefined;
  readonly startThread?: (() => HashThread) | undefined;
  readonly idleMs?: number | undefined;
  /** Default: system randomness. */
  readonly random?: RandomSource;
}

/** Maximum UTF-16 units of a password; longer ones are rejected unread. */
const MAXIMUM_PASSWORD_LENGTH = 1024;

// RFC 9106, 3.1 recommends 16 bytes of salt; 4 recommends a tag of 32 bytes.
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Creates a hasher; its threads are started with the first password. */
export function createPasswordHasher(options: PasswordHasherOptions): PasswordHasher {
  const { clock, cost = DEFAULT_COST, startThread = startHashThread, idleMs } = options;
  const { random = systemRandom } = options;
  const pool = new PasswordHashPool({ clock, startThread, idleMs });
  const encoder = new TextEncoder();
  // Used if there is no valid hash; its random tag matches no password.
  const nothing = { ...cost, salt: random.bytes(SALT_BYTES), tag: random.bytes(TAG_BYTES) };
  return {
    async hash(password, source) {
      if (!isUsable(password)) {
        throw new InvalidRequest({
          code: 'PASSWORD_NOT_USABLE',
          detail: `a password must be Unicode text of 1 to ${MAXIMUM_PASSWORD_LENGTH} characters`,
        });
      }
      const salt = random.bytes(SALT_BYTES);
      const request = { ...cost, password: encoder.encode(password), salt, tagLength: TAG_BYTES };
      const tag = await pool.run(request, source);
      return formatPhc({ ...cost, salt, tag });
    },
    async verify(password, passwordHash, source) {
      const stored = passwordHash === undefined ? undefined : readPhc(passwordHash);
      const isPossible = stored !== undefined && isUsable(password);
      const { tag: expected, ...parameters } = isPossible ? stored : nothing;
      const request = {
        ...parameters,
        password: encoder.encode(isPossible ? password : ''),
        tagLength: expected.length,
      };
      const tag = await pool.run(request, source);
      return timingSafeEqual(tag, expected) && isPossible;
    },
    needsRehash(passwordHash) {
      const stored = readPhc(passwordHash);
      return stored === undefined || !isSameCost(stored, cost);
    },
    stop: () => pool.stop(),
  };
}

function isUsable(password: string): boolean {
  return password.length >= 1 && password.length <= MAXIMUM_PASSWORD_LENGTH && password.isWellFormed();
}
