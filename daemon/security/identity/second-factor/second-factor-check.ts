import type { Clock } from '../../../base/clock.ts';
import { TooManyRequests } from '../../../base/errors.ts';
import { UnreadableSecret } from '../../../base/key/secret-key.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Store } from '../../../base/store/store.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity } from '../identity.ts';
import { CodeDelay } from './code-delay.ts';
import { readCode } from './one-time-code.ts';
import { takeCode } from './second-factor.ts';
import type { SecondFactorKind } from './second-factor.ts';

interface SecondFactorCheckOptions {
  readonly identities: Pick<IdentityStore, 'findSecondFactor' | 'updateSecondFactor'>;
  /** Counts wrong codes. */
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Verifies second-factor codes; shared by all callers so that wrong codes are counted together. */
export class SecondFactorCheck {
  readonly #options: SecondFactorCheckOptions;
  readonly #delay: CodeDelay;

  constructor(options: SecondFactorCheckOptions) {
    this.#options = options;
    this.#delay = new CodeDelay(options.store, options.clock);
  }

  /**
   * Consumes a code synchronously: of two concurrent uses, only the first succeeds. The use is on disk when the call returns.
   *
   * @param identity current identity; it has a second factor, and its password was verified
   * @param text as typed
   * @returns kind of the code; undefined: the code is wrong or already used
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` for a code of the app, after too many wrong codes of this identity
   * @throws {StoreFailure} if the result cannot be stored
   */
  claim(identity: Identity, text: string): SecondFactorKind | undefined {
    const { identities, clock, logger } = this.#options;
    // Recovery codes are too long to be guessed. They stay accepted, so that guesses of app codes cannot lock out the owner.
    const isShort = readCode(text) !== undefined;
    if (isShort) this.#refuseDelayed(identity);
    const factor = identities.findSecondFactor(identity.name);
    if (factor?.secret instanceof UnreadableSecret) {
      const advice = 'reset the second factor, or restore secrets.key from a backup';
      logger.warn('login.secondFactorNotDecrypted', { identity: identity.name, advice });
    }
    const taken =
      factor === undefined
        ? undefined
        : takeCode(factor, { identityId: identity.id, text, nowMs: clock.epochMs() });
    if (taken === undefined) {
      if (isShort) this.#countWrong(identity);
      return undefined;
    }
    identities.updateSecondFactor(identity.name, taken.left);
    this.#delay.clear(identity.id);
    return taken.kind;
  }

  #refuseDelayed({ id }: Identity): void {
    const retryAfterSeconds = this.#delay.secondsLeft(id);
    if (retryAfterSeconds === 0) return;
    const detail = 'too many wrong second-factor codes; use a recovery code';
    throw new TooManyRequests({ code: 'TOO_MANY_FAILED_LOGINS', detail, retryAfterSeconds });
  }

  #countWrong({ id, name }: Identity): void {
    const { logger } = this.#options;
    const delaySeconds = this.#delay.countWrong(id);
    if (delaySeconds > 0) logger.warn('login.secondFactorDelayed', { identity: name, delaySeconds });
  }
}
