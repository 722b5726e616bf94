import { argon2Sync } from 'node:crypto';

import { openStore } from '../../../../daemon/base/store/store.ts';
import { AttemptLimiter } from '../../../../daemon/security/identity/attempt/attempt-limiter.ts';
import { GATEWAY_ITSELF } from '../../../../daemon/security/identity/password/hash-source.ts';
import type { IdentityStore } from '../../../../daemon/security/identity/identity-store.ts';
import type { Identity } from '../../../../daemon/security/identity/identity.ts';
import type { HashThread } from '../../../../daemon/security/identity/password/password-hash-thread.ts';
import { PasswordAuthenticator } from '../../../../daemon/security/identity/password/password-authenticator.ts';
import { createPasswordHasher } from '../../../../daemon/security/identity/password/password-hash.ts';
import { computeCode, stepAt } from '../../../../daemon/security/identity/second-factor/one-time-code.ts';
import { SecondFactorCheck } from '../../../../daemon/security/identity/second-factor/second-factor-check.ts';
import {
  SqliteIdentityStore,
  identityMigrations,
} from '../../../../daemon/security/identity/sqlite-identity-store.ts';
import { restSettingsSchema } from '../../../../daemon/settings/rest-settings.ts';
import type { RestSettings } from '../../../../daemon/settings/rest-settings.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';

/** The least work that argon2 accepts. */
export const CHEAP_COST = { memoryKib: 8, passes: 1, parallelism: 1 };

/** The password of every identity that the fixture creates with one. */
export const PASSWORD = 'correct horse: battery ünïcode';

const SECRET = Buffer.from('12345678901234567890');

/** Hash threads that compute at once in the calling thread, and count their work. */
export class CountingThreads {
  hashes = 0;

  readonly start = (): HashThread => ({
    isAlive: () => true,
    end: () => Promise.resolve(),
    derive: ({ password, salt, memoryKib, passes, parallelism, tagLength }) => {
      this.hashes += 1;
      return Promise.resolve(
        argon2Sync('argon2id', {
          message: password,
          nonce: salt,
          memory: memoryKib,
          passes,
          parallelism,
          tagLength,
        }),
      );
    },
  });
}

/** Creates an empty store in memory. */
export function createIdentities(clock = new ManualClock()): IdentityStore {
  return new SqliteIdentityStore(openStore(':memory:', [identityMigrations]), clock);
}

/** Connects the real parts of the module, on a manual clock and with minimal hashes. */
export function createIdentityFixture() {
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const threads = new CountingThreads();
  const store = openStore(':memory:', [identityMigrations]);
  const identities = new SqliteIdentityStore(store, clock);
  const hasher = createPasswordHasher({ clock, cost: CHEAP_COST, startThread: threads.start });
  const limiter = new AttemptLimiter({ clock });
  const secondFactors = new SecondFactorCheck({ identities, store, clock, logger });
  const checks = { hasher, limiter, secondFactors };
  const authenticator = new PasswordAuthenticator({ identities, ...checks, clock, logger });
  let settings: RestSettings = restSettingsSchema.parse({});

  async function addIdentity(name: string, changes: Partial<Identity> = {}): Promise<Identity> {
    const passwordHash = await hasher.hash(PASSWORD, GATEWAY_ITSELF);
    return identities.create({
      name,
      permissions: ['rest.assets'],
      passwordHash,
      passwordChangeNeeded: false,
      ...changes,
    });
  }

  /** Gives an identity a second factor without recovery codes. */
  function addSecondFactor(name: string): Identity {
    return identities.setSecondFactor(name, { secret: SECRET, usedSteps: [], recoveryDigests: [] });
  }

  return {
    clock,
    logger,
    addSecondFactor,
    /** Returns the code of the present time step, or of one so many steps later. */
    codeOf: (steps = 0) => computeCode(SECRET, stepAt(clock.epochMs()) + steps),
    threads,
    identities,
    hasher,
    limiter,
    authenticator,
    addIdentity,
    rest: () => settings,
    set: (changes: Partial<RestSettings>) => {
      settings = { ...settings, ...changes };
    },
  };
}
