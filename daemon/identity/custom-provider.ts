import type { AuthenticationProvider, Credentials } from './authentication-provider.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Principal } from './identity.ts';

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
  /** @returns the name of the identity; undefined when these credentials are absent or wrong */
  authenticate(request: Credentials): string | undefined | Promise<string | undefined>;
  /** Called once, before the first request. */
  onEnabled?(): void;
  /** Called once, after the provider was removed. */
  onDisabled?(): void;
}

/** Adapts a custom provider to the built-in interface; a name that is no identity counts as "no". */
export function adaptCustomProvider(
  provider: CustomAuthenticationProvider,
  identities: Pick<IdentityStore, 'find'>,
): AuthenticationProvider {
  const toPrincipal = (name: unknown): Principal | undefined => {
    const identity = typeof name === 'string' ? identities.find(name) : undefined;
    return identity === undefined ? undefined : { identity, method: 'custom' };
  };
  return {
    name: provider.name,
    priority: provider.priority,
    deadlineMs: provider.deadlineMs,
    authenticate(request) {
      const name = provider.authenticate(request);
      return name instanceof Promise ? name.then(toPrincipal) : toPrincipal(name);
    },
    onEnabled: () => provider.onEnabled?.(),
    onDisabled: () => provider.onDisabled?.(),
  };
}
