import type { AuthenticationProvider, Credentials } from './authentication-provider.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity, Principal } from '../identity.ts';
import type { ProviderCircuitBreaker } from './provider-circuit-breaker.ts';

/**
 * A way to prove an identity that is not part of the gateway.
 *
 * It only determines who sent a request; permissions always come from the gateway's own identities.
 */
export interface CustomAuthenticationProvider {
  readonly name: string;
  /** Lower values are asked earlier; see `PROVIDER_PRIORITY` for the built-in providers. */
  readonly priority: number;
  /** An answer that takes longer counts as "no"; 5 s by default. */
  readonly deadlineMs?: number | undefined;
  /** Passes the provider over while it is silent; absent: it is always asked. */
  readonly circuitBreaker?: ProviderCircuitBreaker | undefined;
  /** @returns the name of the identity; undefined when these credentials are absent or wrong */
  authenticate(request: Credentials): string | undefined | Promise<string | undefined>;
  /**
   * Returns whether the provider may name this identity; called for each request. Absent: it may name any.
   *
   * @param identity as it is now
   */
  mayName?(identity: Identity, request: Credentials): boolean;
  /** Called once, before the first request. */
  onEnabled?(): void;
  /** Called once, after the provider was removed. */
  onDisabled?(): void;
}

/** Adapts a custom provider to the built-in interface; a name that is no identity, or one that the provider may not name, counts as "no". */
export function adaptCustomProvider(
  provider: CustomAuthenticationProvider,
  identities: Pick<IdentityStore, 'find'>,
): AuthenticationProvider {
  const toPrincipal = (name: unknown, request: Credentials): Principal | undefined => {
    const identity = typeof name === 'string' ? identities.find(name) : undefined;
    if (identity === undefined || provider.mayName?.(identity, request) === false) return undefined;
    return { identity, method: 'custom' };
  };
  return {
    name: provider.name,
    priority: provider.priority,
    deadlineMs: provider.deadlineMs,
    circuitBreaker: provider.circuitBreaker,
    authenticate(request) {
      const name = provider.authenticate(request);
      return name instanceof Promise
        ? name.then((late) => toPrincipal(late, request))
        : toPrincipal(name, request);
    },
    onEnabled: () => provider.onEnabled?.(),
    onDisabled: () => provider.onDisabled?.(),
  };
}
