import type { Clock } from '../base/clock.ts';
import { messageOf, Unavailable } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { AuthenticationProvider, Credentials } from './authentication-provider.ts';
import type { Principal } from './identity.ts';

const DEFAULT_DEADLINE_MS = 5000;

/** The answer of one provider. */
type Answer = Principal | undefined | Unavailable;

/** One registration of a provider. */
interface Entry {
  readonly provider: AuthenticationProvider;
}

/** Authenticates requests by asking its providers in order. */
export class Authenticator {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #entries: readonly Entry[] = [];
  // Replaced as a whole, so that a request in progress keeps the list with which it began.
  #providers: readonly AuthenticationProvider[] = [];
  // Providers that have failed since their last success: the first failure is logged, not every one.
  readonly #failing = new WeakSet<AuthenticationProvider>();

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
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
   * deadline counts as "no".
   *
   * @returns undefined when no provider returns a principal; no promise when every provider asked answers at once
   * @throws {Unavailable} of the first provider that could not verify the credentials, when no other one returns a principal
   */
  authenticate(credentials: Credentials): Principal | undefined | Promise<Principal | undefined> {
    const providers = this.#providers;
    let refusal: Unavailable | undefined;
    for (const [index, provider] of providers.entries()) {
      const answer = this.#ask(provider, credentials);
      if (answer instanceof Promise) {
        const others = providers.slice(index + 1).map((other) => () => this.#ask(other, credentials));
        return awaitPrincipal([() => answer, ...others], refusal);
      }
      if (answer instanceof Unavailable) refusal ??= answer;
      else if (answer !== undefined) return answer;
    }
    if (refusal !== undefined) throw refusal;
    return undefined;
  }

  /** Asks one provider; never throws. */
  #ask(provider: AuthenticationProvider, credentials: Credentials): Answer | Promise<Answer> {
    try {
      const answer = provider.authenticate(credentials);
      if (answer instanceof Promise) return this.#awaitAnswer(provider, answer);
      if (answer !== undefined) this.#failing.delete(provider);
      return answer;
    } catch (error) {
      return this.#handleError(provider, error);
    }
  }

  async #awaitAnswer(
    provider: AuthenticationProvider,
    pending: Promise<Principal | undefined>,
  ): Promise<Answer> {
    const { promise: deadline, reject } = Promise.withResolvers<never>();
    const deadlineMs = provider.deadlineMs ?? DEFAULT_DEADLINE_MS;
    const cancel = this.#clock.schedule(deadlineMs, () => {
      reject(new Error(`no answer within ${deadlineMs} ms`));
    });
    try {
      const answer = await Promise.race([pending, deadline]);
      if (answer !== undefined) this.#failing.delete(provider);
      return answer;
    } catch (error) {
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
