import type { Clock } from '../../base/clock.ts';
import { messageOf, Unavailable } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { AuthenticationProvider, Credentials } from './provider/authentication-provider.ts';
import { NoAnswer } from './provider/authentication-provider.ts';
import type { Principal } from './identity.ts';
import type { ProviderWatch } from './provider/provider-watch.ts';

const DEFAULT_DEADLINE_MS = 5000;
/** Time that all providers with a watch have together for one request. */
export const SHARED_LIMIT_MS = 2000;

/** The answer of one provider. */
type Answer = Principal | undefined | Unavailable;

/** What is left for one request of the time that providers with a watch share. */
interface SharedTime {
  leftMs: number;
}

interface AuthenticatorOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time that all providers with a watch have together for one request; `SHARED_LIMIT_MS` when absent. */
  readonly sharedLimitMs?: number | undefined;
}

/** One registration of a provider. */
interface Entry {
  readonly provider: AuthenticationProvider;
}

/** Authenticates requests by asking its providers in order. */
export class Authenticator {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #sharedLimitMs: number;
  #entries: readonly Entry[] = [];
  // Replaced as a whole, so that a request in progress keeps the list with which it began.
  #providers: readonly AuthenticationProvider[] = [];
  // Providers that have failed since their last success: the first failure is logged, not every one.
  readonly #failing = new WeakSet<AuthenticationProvider>();

  constructor({ clock, logger, sharedLimitMs = SHARED_LIMIT_MS }: AuthenticatorOptions) {
    this.#clock = clock;
    this.#logger = logger;
    this.#sharedLimitMs = sharedLimitMs;
  }

  /**
   * Adds a provider; of equal priorities the one added first is asked first. Requests in progress are not affected.
   *
   * @returns a function that removes the provider
   */
  add(provider: AuthenticationProvider): () => void {
    this.#notify(provider, () => provider.onEnabled?.());
    // Array sorting is stable. A copy, so that a provider that is added twice can be removed once.
    const entry: Entry = { provider };
    this.#replace([...this.#entries, entry].sort((a, b) => a.provider.priority - b.provider.priority));
    return () => {
      if (!this.#entries.includes(entry)) return;
      this.#replace(this.#entries.filter((other) => other !== entry));
      this.#notify(provider, () => provider.onDisabled?.());
    };
  }

  #replace(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#providers = entries.map(({ provider }) => provider);
  }

  // A provider that throws here takes part all the same: each of its answers counts for itself.
  #notify(provider: AuthenticationProvider, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#logger.warn('authentication.providerFailed', {
        provider: provider.name,
        reason: messageOf(error),
      });
    }
  }

  /**
   * Determines who sent the request: the first provider that returns a principal decides. One that throws or exceeds its
   * deadline counts as "no", and so does one with a watch that is suspended, or for which no time is left.
   *
   * @returns undefined when no provider returns a principal; no promise when every provider asked answers at once
   * @throws {Unavailable} of the first provider that could not verify the credentials, when no other one returns a principal
   */
  authenticate(credentials: Credentials): Principal | undefined | Promise<Principal | undefined> {
    const providers = this.#providers;
    const time: SharedTime = { leftMs: this.#sharedLimitMs };
    let refusal: Unavailable | undefined;
    for (const [index, provider] of providers.entries()) {
      const answer = this.#ask(provider, credentials, time);
      if (answer instanceof Promise) {
        const others = providers.slice(index + 1).map((other) => () => this.#ask(other, credentials, time));
        return awaitPrincipal([() => answer, ...others], refusal);
      }
      if (answer instanceof Unavailable) refusal ??= answer;
      else if (answer !== undefined) return answer;
    }
    if (refusal !== undefined) throw refusal;
    return undefined;
  }

  /** Asks one provider; never throws. */
  #ask(
    provider: AuthenticationProvider,
    credentials: Credentials,
    time: SharedTime,
  ): Answer | Promise<Answer> {
    const { watch } = provider;
    if (watch !== undefined && (time.leftMs <= 0 || !watch.mayAsk())) return undefined;
    try {
      const answer = provider.authenticate(credentials);
      if (answer instanceof Promise) {
        return watch === undefined
          ? this.#awaitAnswer(provider, answer, provider.deadlineMs ?? DEFAULT_DEADLINE_MS)
          : this.#awaitWatched(provider, watch, answer, time);
      }
      if (answer !== undefined) this.#failing.delete(provider);
      return answer;
    } catch (error) {
      return this.#handleError(provider, error);
    }
  }

  /** Waits for a provider no longer than the time that is left, and tells its watch how that ended. */
  async #awaitWatched(
    provider: AuthenticationProvider,
    watch: ProviderWatch,
    pending: Promise<Principal | undefined>,
    time: SharedTime,
  ): Promise<Answer> {
    const fullMs = Math.min(provider.deadlineMs ?? DEFAULT_DEADLINE_MS, this.#sharedLimitMs);
    const deadlineMs = Math.min(fullMs, time.leftMs);
    const startMs = this.#clock.monotonicMs();
    const inquiry = watch.begin();
    let isSilent = false;
    const answer = await this.#awaitAnswer(provider, pending, deadlineMs, () => {
      isSilent = true;
    });
    time.leftMs -= this.#clock.monotonicMs() - startMs;
    if (!isSilent) inquiry.end();
    // Providers before it may have used most of the time.
    else if (deadlineMs < fullMs / 2) inquiry.abandon();
    else inquiry.miss();
    return answer;
  }

  async #awaitAnswer(
    provider: AuthenticationProvider,
    pending: Promise<Principal | undefined>,
    deadlineMs: number,
    onSilence?: () => void,
  ): Promise<Answer> {
    const { promise: deadline, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.schedule(deadlineMs, () => reject(new NoAnswer(deadlineMs)));
    try {
      const answer = await Promise.race([pending, deadline]);
      if (answer !== undefined) this.#failing.delete(provider);
      return answer;
    } catch (error) {
      if (error instanceof NoAnswer) onSilence?.();
      return this.#handleError(provider, error);
    } finally {
      cancel();
    }
  }

  #handleError(provider: AuthenticationProvider, error: unknown): Unavailable | undefined {
    if (error instanceof Unavailable) return error;
    if (!this.#failing.has(provider)) {
      this.#failing.add(provider);
      this.#logger.warn('authentication.providerFailed', {
        provider: provider.name,
        reason: messageOf(error),
      });
    }
    return undefined;
  }
}

/** Asks the remaining providers, once one has not answered at once. */
async function awaitPrincipal(
  asks: readonly (() => Answer | Promise<Answer>)[],
  earlierRefusal: Unavailable | undefined,
): Promise<Principal | undefined> {
  let refusal = earlierRefusal;
  for (const ask of asks) {
    const answer = await ask();
    if (answer instanceof Unavailable) refusal ??= answer;
    else if (answer !== undefined) return answer;
  }
  if (refusal !== undefined) throw refusal;
  return undefined;
}
