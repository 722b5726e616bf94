import { delay } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { TooManyRequests } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Attempt, AttemptLimiter } from './attempt-limiter.ts';
import { sourceOfAttempt, sourceOfIdentity } from './hash-source.ts';
import { findUnchanged } from './identity-store.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Identity } from './identity.ts';
import type { PasswordHasher } from './password-hash.ts';

/** A name and a password as received, and the address that sent them. */
interface PasswordCredentials {
  readonly name: string;
  readonly password: string;
  readonly remoteAddress: string;
}

/** Authenticates by password; every use of a password goes through it. */
export interface PasswordAuthenticator {
  /**
   * Finds the identity that the password belongs to. An identity whose password has to be changed is returned all the
   * same; the caller decides what it may do.
   *
   * While an address has to wait because of earlier failures, every attempt except the right password of a name known
   * there is refused after {@link HIDDEN_ANSWER_MS}, so that neither the answer nor its time reveals anything about a name.
   *
   * @returns undefined for a wrong password, an unknown name and an identity without password, which all take the same time
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` for this name from this address, or for this address
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL` when too many passwords wait to be checked
   */
  authenticatePassword(credentials: PasswordCredentials): Promise<Identity | undefined>;
}

interface PasswordAuthenticatorOptions {
  readonly identities: IdentityStore;
  readonly hasher: PasswordHasher;
  readonly limiter: AttemptLimiter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Longer than a check of a password takes, including the checks before it in the queue. */
export const HIDDEN_ANSWER_MS = 2000;

/** Creates the authenticator that login, BASIC and the password change share, so that their attempts count together. */
export function createPasswordAuthenticator(options: PasswordAuthenticatorOptions): PasswordAuthenticator {
  const { identities, hasher, limiter, clock, logger } = options;

  async function authenticatePassword(credentials: PasswordCredentials): Promise<Identity | undefined> {
    const attempt = await limiter.begin(credentials);
    const { refuse } = attempt;
    return refuse === undefined ? check(attempt, credentials) : checkHidden(attempt, refuse, credentials);
  }

  async function checkHidden(
    attempt: Attempt,
    refuse: () => TooManyRequests,
    credentials: PasswordCredentials,
  ): Promise<Identity | undefined> {
    const answerDue = delay(clock, HIDDEN_ANSWER_MS);
    if (attempt.maySucceed) {
      // A full queue reveals as little as a wrong password.
      const checked = check(attempt, credentials).catch(() => undefined);
      const proved = await Promise.race([checked, answerDue]);
      if (proved !== undefined) return proved;
    }
    await answerDue;
    throw refuse();
  }

  async function check(attempt: Attempt, credentials: PasswordCredentials): Promise<Identity | undefined> {
    const identity = identities.find(credentials.name);
    let isRight: boolean;
    try {
      // Unknown names cost one hash as well: the time of the answer must not reveal which names exist.
      isRight = await hasher.verify(
        credentials.password,
        identity?.passwordHash,
        sourceOfAttempt(credentials),
      );
    } catch (error) {
      attempt.abandon();
      throw error;
    }
    // While the hash was computed, the password may have been changed or the identity deleted.
    const present = identity === undefined ? undefined : findUnchanged(identities, identity);
    if (!isRight || present === undefined) {
      countFailure(attempt, identity, credentials.remoteAddress);
      return undefined;
    }
    attempt.succeed();
    await upgradeHash(present, credentials.password);
    return findUnchanged(identities, present);
  }

  function countFailure(attempt: Attempt, identity: Identity | undefined, address: string): void {
    const delaySeconds = attempt.fail();
    if (delaySeconds === 0) return;
    // An unknown name is not logged: it may be a password typed into the wrong field.
    logger.warn('login.delayed', { identity: identity?.name, address, delaySeconds });
  }

  async function upgradeHash(identity: Identity, password: string): Promise<void> {
    if (identity.passwordHash === undefined || !hasher.needsRehash(identity.passwordHash)) return;
    try {
      identities.upgradePasswordHash(identity, await hasher.hash(password, sourceOfIdentity(identity)));
    } catch (error) {
      // The old hash is still valid; the next login tries again.
      logger.warn('password.rehashFailed', { identity: identity.name, reason: messageOf(error) });
    }
  }

  return { authenticatePassword };
}
