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
  /** Keeps wrong codes. */
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Checks codes of second factors; everything that asks for codes shares it, so that wrong ones count together. */
export class SecondFactorCheck {
  readonly #options: SecondFactorCheckOptions;
  readonly #delay: CodeDelay;

  constructor(options: SecondFactorCheckOptions) {
    this.#options = options;
    this.#delay = new CodeDelay(options.store, options.clock);
  }

  /**
   * Uses up a code, without a wait: of two uses at once, only the first succeeds. Its use is on disk when the call returns.
   *
   * @param identity as it is now; it has a second factor, and its password was proved
   * @param text as typed
   * @returns what was given; undefined: the code is wrong, or was used
   * @throws {TooManyRequests} `TOO_MANY_FAILED_LOGINS` for a code of the app, after too many wrong ones of this identity
   * @throws {StoreFailure} when its use, or that it is wrong, cannot be stored
   */
  claim(identity: Identity, text: string): SecondFactorKind | undefined {
    const { identities, clock, logger } = this.#options;
    // Recovery codes are too long to be guessed, so whoever guesses codes of the app cannot keep their owner out.
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
