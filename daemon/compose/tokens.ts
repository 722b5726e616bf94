import { BoundedReads } from '../base/file/bounded-reads.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { RandomSource } from '../base/random.ts';
import type { Store } from '../base/store/store.ts';
import type { ConfigurationStore } from '../configuration/store/configuration-store.ts';
import type { Authenticator } from '../security/identity/authenticator.ts';
import type { CredentialRevocations } from '../security/identity/credential-revocations.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import type { TokenSettings } from '../settings/token-settings.ts';
import { createBearerProvider } from '../security/token/bearer-provider.ts';
import { KeyStore } from '../security/token/key-store.ts';
import { MemoryUsedTokenStore } from '../security/token/memory-used-token-store.ts';
import { TokenRefresh } from '../security/token/refresh.ts';
import { SqliteUsedTokenStore } from '../security/token/sqlite-used-token-store.ts';
import { createCombinedUsedTokenStore } from '../security/token/used-token-store.ts';
import { TokenAdministration } from '../security/token/token-administration.ts';
import { TokenIssuer } from '../security/token/token-issuer.ts';
import { TokenVerifier } from '../security/token/token-verifier.ts';

interface TokenOptions {
  readonly store: Store;
  readonly identities: IdentityStore;
  readonly authenticator: Pick<Authenticator, 'add'>;
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly dataDirectory: string;
  readonly credentialRevocations: CredentialRevocations;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: RandomSource;
}

export type Tokens = ReturnType<typeof composeTokens>;

/** Constructs the token service, and adds its provider to the authenticator. */
export function composeTokens(options: TokenOptions) {
  const { store, identities, authenticator, configuration, dataDirectory, credentialRevocations } = options;
  const { logger, clock, random } = options;
  // The same object until the configuration changes, so that derived values stay cached.
  const settings = (): TokenSettings => configuration.current();
  const reads = new BoundedReads(clock);
  const keys = new KeyStore({ dataDirectory, clock, logger, reads });
  const verifier = new TokenVerifier({ keys, settings, clock, logger, reads });
  const issuer = new TokenIssuer({ keys, settings, clock, random });
  const retentionSeconds = (): number => settings().rest.jwtUsedRefreshTokenRetentionSeconds;
  const ledger = createCombinedUsedTokenStore({
    memory: new MemoryUsedTokenStore({ clock, retentionSeconds }),
    persistent: new SqliteUsedTokenStore({ store, clock, retentionSeconds }),
    isPersistent: () => settings().rest.jwtUsedRefreshTokensPersistent,
  });
  const refresh = new TokenRefresh({ verifier, issuer, ledger, identities });
  authenticator.add(createBearerProvider({ verifier, identities, settings, logger }));
  const tokenAdministration = new TokenAdministration({ identities, keys, settings, credentialRevocations });
  return { keys, issuer, refresh, tokenAdministration };
}
