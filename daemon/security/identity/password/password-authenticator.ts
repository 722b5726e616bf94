import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { TooManyRequests } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Attempt, AttemptLimiter } from '../attempt/attempt-limiter.ts';
import { sourceOfAttempt, sourceOfIdentity } from './hash-source.ts';
import { findUnchanged } from '../identity-store.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity } from '../identity.ts';
import type { PasswordHasher } from './password-hash.ts';
import type { SecondFactorCheck } from '../second-factor/second-factor-check.ts';
import {
  createSecondFactorNeeded,
  createSecondFactorWrong,
  SecondFactorRefused,
} from '../second-factor/second-factor-refused.ts';
import type { SecondFactorKind } from '../second-factor/second-factor.ts';

/** A name and a password as received, and the address that sent them. */
interface PasswordCredentials {
  readonly name: string;
  readonly password: string;
  readonly remoteAddress: string;
}

/** An identity, and what it has given beside its password. */
interface PasswordProof {
  readonly identity: Identity;
  /** Undefined: the identity has no second factor, or was not asked for it. */
  readonly secondFactor?: SecondFactorKind | undefined;
}

interface PasswordAuthenticatorOptions {
  readonly identities: IdentityStore;
  readonly hasher: PasswordHasher;
  readonly limiter: AttemptLimiter;
  readonly secondFactors: SecondFactorCheck;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Ends an attempt whose password is right. */
type TakeFactor = (attempt: Attempt, identity: Identity, address: string) => SecondFactorKind | undefined;

/** Longer than a check of a password takes, including the checks before it in the queue. */
export const HIDDEN_ANSWER_MS = 2000;

/** Authenticates by password; login, BASIC and the password change share it, so that their attempts count together. */
export class PasswordAuthenticator {
  readonly #options: PasswordAuthenticatorOptions;

  constructor(options: PasswordAuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * Finds the identity that the password belongs to. An identity whose password has to be changed, or that has a second
   * factor, is returned all the same; the caller decides what it may do.
   *
   * While an address has to wait because of earlier failures, every attempt except the right password of a name known
   * there is refused after {@link HIDDEN_ANSWER_MS}, so that neither the answer nor its time reveals anything about a name.
   *
   * @returns undefined for a wrong password, an unknown name and an identity without password, which all take the same time
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` for this name from this address, or for this address
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL` when too many passwords wait to be checked
   */
  async authenticatePassword(credentials: PasswordCredentials): Promise<Identity | undefined> {
    return (await this.#authenticate(credentials, passBy))?.identity;
  }

  /**
   * Does the same, and uses up a code of the second factor, if the identity has one. A wrong password is refused alike with
   * and without one; a wrong code counts as a failed attempt.
   *
   * @param code as typed; undefined or blank: none was given
   * @throws {SecondFactorRefused} `SECOND_FACTOR_NEEDED` or `SECOND_FACTOR_WRONG` when the password is right
   * @throws as `authenticatePassword` and {@link SecondFactorCheck.claim}
   */
  authenticateWithSecondFactor(
    credentials: PasswordCredentials,
    code = '',
  ): Promise<PasswordProof | undefined> {
    return this.#authenticate(credentials, (attempt, identity, address) =>
      this.#claim(code, attempt, identity, address),
    );
  }

  async #authenticate(
    credentials: PasswordCredentials,
    takeFactor: TakeFactor,
  ): Promise<PasswordProof | undefined> {
    const { limiter } = this.#options;
    const attempt = await limiter.begin(credentials);
    const checked = (): Promise<PasswordProof | undefined> => this.#check(attempt, credentials, takeFactor);
    return attempt.refuse === undefined ? checked() : this.#hideUnlessRight(attempt, attempt.refuse, checked);
  }

  async #hideUnlessRight(
    { maySucceed }: Attempt,
    refuse: () => TooManyRequests,
    checkNow: () => Promise<PasswordProof | undefined>,
  ): Promise<PasswordProof | undefined> {
    const { clock } = this.#options;
    const answerDue = delay(clock, HIDDEN_ANSWER_MS);
    if (maySucceed) {
      const checked = checkNow().catch((error: unknown) => {
        // The password is right.
        if (error instanceof SecondFactorRefused) throw error;
        // A full queue reveals as little as a wrong password.
        return undefined;
      });
      const proved = await Promise.race([checked, answerDue]);
      if (proved !== undefined) return proved;
    }
    await answerDue;
    throw refuse();
  }

  async #check(
    attempt: Attempt,
    credentials: PasswordCredentials,
    takeFactor: TakeFactor,
  ): Promise<PasswordProof | undefined> {
    const { identities, hasher } = this.#options;
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
      this.#countFailure(attempt, identity, credentials.remoteAddress);
      return undefined;
    }
    const secondFactor = takeFactor(attempt, present, credentials.remoteAddress);
    await this.#upgradeHash(present, credentials.password);
    const proved = findUnchanged(identities, present);
    return proved === undefined ? undefined : { identity: proved, secondFactor };
  }

  /** Ends an attempt whose password is right, by its code if the identity has a second factor. */
  #claim(code: string, attempt: Attempt, identity: Identity, address: string) {
    const { secondFactors } = this.#options;
    if (identity.hasSecondFactor !== true) return passBy(attempt, identity);
    let kind: SecondFactorKind | undefined;
    try {
      // No failure: a client that does not know of the second factor asks for it now.
      if (code.trim() === '') throw createSecondFactorNeeded();
      kind = secondFactors.claim(identity, code);
    } catch (error) {
      attempt.abandon();
      throw error;
    }
    if (kind === undefined) {
      this.#countFailure(attempt, identity, address);
      throw createSecondFactorWrong();
    }
    attempt.succeed();
    return kind;
  }

  #countFailure(attempt: Attempt, identity: Identity | undefined, address: string): void {
    const { logger } = this.#options;
    const delaySeconds = attempt.fail();
    if (delaySeconds === 0) return;
    // An unknown name is not logged: it may be a password typed into the wrong field.
    logger.warn('login.delayed', { identity: identity?.name, address, delaySeconds });
  }

  async #upgradeHash(identity: Identity, password: string): Promise<void> {
    const { identities, hasher, logger } = this.#options;
    if (identity.passwordHash === undefined || !hasher.needsRehash(identity.passwordHash)) return;
    try {
      identities.upgradePasswordHash(identity, await hasher.hash(password, sourceOfIdentity(identity)));
    } catch (error) {
      // The old hash is still valid; the next login tries again.
      logger.warn('password.rehashFailed', { identity: identity.name, reason: messageOf(error) });
    }
  }
}

/** Ends an attempt whose password is right, and does not ask for a code. */
function passBy(attempt: Attempt, { hasSecondFactor }: Identity): undefined {
  // If the password alone forgot failures, whoever knows it could try one code after the other.
  if (hasSecondFactor === true) attempt.abandon();
  else attempt.succeed();
}
