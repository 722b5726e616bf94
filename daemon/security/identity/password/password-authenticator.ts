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

/** Name and password as received, with the client address. */
interface PasswordCredentials {
  readonly name: string;
  readonly password: string;
  readonly remoteAddress: string;
}

/** Authenticated identity and its second factor. */
interface PasswordProof {
  readonly identity: Identity;
  /** Undefined: no second factor set up, or not required. */
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

/** Completes an attempt with a correct password. */
type TakeFactor = (attempt: Attempt, identity: Identity, address: string) => SecondFactorKind | undefined;

/** Longer than a password check, including the queue. */
export const HIDDEN_RESPONSE_MS = 2000;

/** Password authentication, shared by login, BASIC and password change so that their attempts are counted together. */
export class PasswordAuthenticator {
  readonly #options: PasswordAuthenticatorOptions;

  constructor(options: PasswordAuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * Verifies a password. Also returns identities with a required action or a second factor; the caller decides about their
   * access.
   *
   * While an address is delayed after earlier failures, every attempt except the correct password of a name that has logged in
   * from there is rejected after {@link HIDDEN_RESPONSE_MS}, so that neither response nor timing reveals anything about a name.
   *
   * @returns undefined for a wrong password, an unknown name or an identity without password, all in the same time
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` for this name from this address, or for this address
   * @throws {Unavailable} `PASSWORD_QUEUE_FULL` if too many password checks are queued
   */
  async authenticatePassword(credentials: PasswordCredentials): Promise<Identity | undefined> {
    return (await this.#authenticate(credentials, passBy))?.identity;
  }

  /**
   * Verifies a password and consumes a second-factor code if the identity has a second factor. A wrong password is rejected in the
   * same way with and without second factor; a wrong code counts as a failed attempt.
   *
   * @param code as typed; undefined or blank: no code
   * @throws {SecondFactorRefused} `SECOND_FACTOR_NEEDED` or `SECOND_FACTOR_WRONG` if the password is correct
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
    const answerDue = delay(clock, HIDDEN_RESPONSE_MS);
    if (maySucceed) {
      const checked = checkNow().catch((error: unknown) => {
        // The password is correct.
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
      // Unknown names also cost one hash: the response time must not reveal which names exist.
      isRight = await hasher.verify(
        credentials.password,
        identity?.passwordHash,
        sourceOfAttempt(credentials),
      );
    } catch (error) {
      attempt.abandon();
      throw error;
    }
    // The password may have been changed or the identity deleted during the hash computation.
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

  /** Completes an attempt with a correct password, by its code if the identity has a second factor. */
  #claim(code: string, attempt: Attempt, identity: Identity, address: string) {
    const { secondFactors } = this.#options;
    if (identity.hasSecondFactor !== true) return passBy(attempt, identity);
    let kind: SecondFactorKind | undefined;
    try {
      // Not a failure: the client can now prompt for the code.
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

/** Completes an attempt with a correct password that needs no code. */
function passBy(attempt: Attempt, { hasSecondFactor }: Identity): undefined {
  // If the password alone reset the failures, a client with the password could try all codes.
  if (hasSecondFactor === true) attempt.abandon();
  else attempt.succeed();
}
