import type { Clock } from '../../base/clock.ts';
import { messageOf, Unavailable } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { AuthenticationProvider, Credentials } from './provider/authentication-provider.ts';
import { ProviderTimeout } from './provider/authentication-provider.ts';
import type { Principal } from './identity.ts';
import type { ProviderCircuitBreaker } from './provider/provider-circuit-breaker.ts';

const DEFAULT_DEADLINE_MS = 5000;
/** Time budget that all providers with a circuit breaker share for one request. */
export const SHARED_LIMIT_MS = 2000;

/** Result of one provider. */
type ProviderResult = Principal | undefined | Unavailable;

/** Remaining shared time budget of one request. */
interface SharedTime {
  leftMs: number;
}

interface AuthenticatorOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time budget that all providers with a circuit breaker share for one request; default: `SHARED_LIMIT_MS`. */
  readonly sharedLimitMs?: number | undefined;
}

/** Registration of a provider. */
interface Entry {
  readonly provider: AuthenticationProvider;
}

/** Authenticates requests by calling the providers in order of priority. */
export class Authenticator {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #sharedLimitMs: number;
  #entries: readonly Entry[] = [];
  // Replaced as a whole, so that a request in progress keeps its list.
  #providers: readonly AuthenticationProvider[] = [];
  // Providers that have failed since their last success: only the first failure is logged.
  readonly #failing = new WeakSet<AuthenticationProvider>();

  constructor({ clock, logger, sharedLimitMs = SHARED_LIMIT_MS }: AuthenticatorOptions) {
    this.#clock = clock;
    this.#logger = logger;
    this.#sharedLimitMs = sharedLimitMs;
  }

  /**
   * Adds a provider; among equal priorities, the one added first is called first. Requests in progress are not affected.
   *
   * @returns a function that removes the provider
   */
  add(provider: AuthenticationProvider): () => void {
    this.#notify(provider, () => provider.onEnabled?.());
    // Array sorting is stable. One entry per registration, so that a provider added twice can be removed once.
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

  // A provider that throws here stays registered: each authentication is judged separately.
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
   * Determines the principal of a request: the first provider that returns one decides. A provider that throws, exceeds its deadline,
   * is suspended by its circuit breaker, or has no time left counts as "no"; a provider with `createTimeoutError` that exceeds its
   * deadline could not verify the credentials.
   *
   * @returns undefined if no provider returns a principal; not a promise if every called provider returns immediately
   * @throws {Unavailable} of the first provider that could not verify the credentials, if no other one returns a principal
   */
  authenticate(credentials: Credentials): Principal | undefined | Promise<Principal | undefined> {
    const providers = this.#providers;
    const time: SharedTime = { leftMs: this.#sharedLimitMs };
    let refusal: Unavailable | undefined;
    for (const [index, provider] of providers.entries()) {
      const result = this.#call(provider, credentials, time);
      if (result instanceof Promise) {
        const others = providers.slice(index + 1).map((other) => () => this.#call(other, credentials, time));
        return awaitPrincipal([() => result, ...others], refusal);
      }
      if (result instanceof Unavailable) refusal ??= result;
      else if (result !== undefined) return result;
    }
    if (refusal !== undefined) throw refusal;
    return undefined;
  }

  /** Calls one provider; never throws. */
  #call(
    provider: AuthenticationProvider,
    credentials: Credentials,
    time: SharedTime,
  ): ProviderResult | Promise<ProviderResult> {
    const { circuitBreaker } = provider;
    if (circuitBreaker !== undefined && (time.leftMs <= 0 || !circuitBreaker.allowsRequest()))
      return undefined;
    try {
      const result = provider.authenticate(credentials);
      if (result instanceof Promise) {
        return circuitBreaker === undefined
          ? this.#awaitResult(provider, result, provider.deadlineMs ?? DEFAULT_DEADLINE_MS)
          : this.#awaitGuarded(provider, circuitBreaker, result, time);
      }
      if (result !== undefined) this.#failing.delete(provider);
      return result;
    } catch (error) {
      return this.#handleError(provider, error);
    }
  }

  /** Waits for a provider within the remaining time budget and reports the result to its circuit breaker. */
  async #awaitGuarded(
    provider: AuthenticationProvider,
    circuitBreaker: ProviderCircuitBreaker,
    pending: Promise<Principal | undefined>,
    time: SharedTime,
  ): Promise<ProviderResult> {
    const fullMs = Math.min(provider.deadlineMs ?? DEFAULT_DEADLINE_MS, this.#sharedLimitMs);
    const deadlineMs = Math.min(fullMs, time.leftMs);
    const startMs = this.#clock.monotonicMs();
    const request = circuitBreaker.begin();
    let isTimedOut = false;
    const result = await this.#awaitResult(provider, pending, deadlineMs, () => {
      isTimedOut = true;
    });
    time.leftMs -= this.#clock.monotonicMs() - startMs;
    if (!isTimedOut) request.end();
    // Earlier providers may have used most of the time budget.
    else if (deadlineMs < fullMs / 2) request.abandon();
    else request.timeOut();
    return result;
  }

  async #awaitResult(
    provider: AuthenticationProvider,
    pending: Promise<Principal | undefined>,
    deadlineMs: number,
    onTimeout?: () => void,
  ): Promise<ProviderResult> {
    const { promise: deadline, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.schedule(deadlineMs, () => reject(new ProviderTimeout(deadlineMs)));
    try {
      const result = await Promise.race([pending, deadline]);
      if (result !== undefined) this.#failing.delete(provider);
      return result;
    } catch (error) {
      if (error instanceof ProviderTimeout) onTimeout?.();
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
    return error instanceof ProviderTimeout ? provider.createTimeoutError?.() : undefined;
  }
}

/** Calls the remaining providers after one has returned a promise. */
async function awaitPrincipal(
  calls: readonly (() => ProviderResult | Promise<ProviderResult>)[],
  earlierRefusal: Unavailable | undefined,
): Promise<Principal | undefined> {
  let refusal = earlierRefusal;
  for (const call of calls) {
    const result = await call();
    if (result instanceof Unavailable) refusal ??= result;
    else if (result !== undefined) return result;
  }
  if (refusal !== undefined) throw refusal;
  return undefined;
}
