import type { AuthenticationProvider, Credentials } from './authentication-provider.ts';
import type { IdentityStore } from '../identity-store.ts';
import type { Identity, Principal } from '../identity.ts';
import type { ProviderCircuitBreaker } from './provider-circuit-breaker.ts';

/**
 * An authentication method that is not built into the gateway.
 *
 * It only determines the identity of a request; permissions always come from the gateway's own identities.
 */
export interface CustomAuthenticationProvider {
  readonly name: string;
  /** Lower values are called earlier; see `PROVIDER_PRIORITY` for the built-in providers. */
  readonly priority: number;
  /** A slower response counts as "no"; default: 5 s. */
  readonly deadlineMs?: number | undefined;
  /** Skips the provider after repeated timeouts; absent: it is always called. */
  readonly circuitBreaker?: ProviderCircuitBreaker | undefined;
  /** @returns the name of the identity; undefined if these credentials are absent or wrong */
  authenticate(request: Credentials): string | undefined | Promise<string | undefined>;
  /**
   * Returns true if the provider may name this identity; called for each request. Absent: it may name any identity.
   *
   * @param identity current state of the identity
   */
  mayName?(identity: Identity, request: Credentials): boolean;
  /** Called once, before the first request. */
  onEnabled?(): void;
  /** Called once, after the provider was removed. */
  onDisabled?(): void;
}

/** Adapts a custom provider to the built-in interface; an unknown name, or one that the provider may not name, counts as "no". */
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
