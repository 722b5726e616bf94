import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Attempt, AttemptLimiter } from './attempt-limiter.ts';
import { findUnchanged, type IdentityStore } from './identity-store.ts';
import type { Identity } from './identity.ts';
import type { PasswordHasher } from './password-hash.ts';

/** A name and a password as they were received, and where from. */
export interface PasswordCredentials {
  readonly name: string;
  readonly password: string;
  readonly remoteAddress: string;
}

/** Proves identities by password; what every use of a password goes through. */
export interface PasswordAuthenticator {
  /**
   * Says whose password it is. An identity whose password has to be changed is returned all the same; the caller
   * decides what it may do.
   *
   * @returns undefined for a wrong password, an unknown name and an identity without password, which all cost the same
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` for this name from this address
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL` when too many passwords wait to be checked
   */
  authenticatePassword(credentials: PasswordCredentials): Promise<Identity | undefined>;
}

export interface PasswordAuthenticatorOptions {
  readonly identities: IdentityStore;
  readonly hasher: PasswordHasher;
  readonly limiter: AttemptLimiter;
  readonly logger: Logger;
}

/** Makes the one authenticator that login, BASIC and the password change share, so that all count as one. */
export function createPasswordAuthenticator(options: PasswordAuthenticatorOptions): PasswordAuthenticator {
  const { identities, hasher, limiter, logger } = options;

  async function authenticatePassword(credentials: PasswordCredentials): Promise<Identity | undefined> {
    const attempt = limiter.begin(credentials);
    const identity = identities.find(credentials.name);
    let isRight: boolean;
    try {
      // Unknown names cost one hash as well: the time of the answer must not tell which names exist.
      isRight = await hasher.verify(credentials.password, identity?.passwordHash);
    } catch (error) {
      attempt.abandon();
      throw error;
    }
    // While the hash was computed the password may have been changed, or the identity deleted.
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
    // An unknown name is left out: it may be a password that was typed into the wrong field.
    logger.warn('login.delayed', { identity: identity?.name, address, delaySeconds });
  }

  async function upgradeHash(identity: Identity, password: string): Promise<void> {
    if (identity.passwordHash === undefined || !hasher.needsRehash(identity.passwordHash)) return;
    try {
      identities.upgradePasswordHash(identity, await hasher.hash(password));
    } catch (error) {
      // The old hash is still good; the next login tries again.
      logger.warn('password.rehashFailed', { identity: identity.name, reason: messageOf(error) });
    }
  }

  return { authenticatePassword };
}
