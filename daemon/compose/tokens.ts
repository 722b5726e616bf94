import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Store } from '../base/store.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { TokenSettings } from '../settings/token-settings.ts';
import { createBearerProvider } from '../token/bearer-provider.ts';
import { createKeyStore } from '../token/key-store.ts';
import { createMemoryUsedTokenLedger } from '../token/memory-used-token-ledger.ts';
import { createTokenRefresh } from '../token/refresh.ts';
import { createSqliteUsedTokenLedger } from '../token/sqlite-used-token-ledger.ts';
import { createSwitchedUsedTokenLedger } from '../token/switched-used-token-ledger.ts';
import { createTokenIssuer } from '../token/token-issuer.ts';
import { createTokenVerifier } from '../token/token-verifier.ts';

export interface TokenGround {
  readonly store: Store;
  readonly identities: IdentityStore;
  /** The same object as long as nothing has changed. */
  readonly settings: () => TokenSettings;
  readonly dataDirectory: string;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Constructs the parts of tokens: their keys, their issue and their verification. */
export function composeTokens({ store, identities, settings, dataDirectory, logger, clock }: TokenGround) {
  const keys = createKeyStore({ dataDirectory, clock, logger });
  const verifier = createTokenVerifier({ keys, settings, clock, logger });
  const issuer = createTokenIssuer({ keys, settings, clock });
  const retentionSeconds = (): number => settings().rest.jwtUsedRefreshTokenRetentionSeconds;
  const ledger = createSwitchedUsedTokenLedger({
    memory: createMemoryUsedTokenLedger({ clock, retentionSeconds }),
    persistent: createSqliteUsedTokenLedger({ store, clock, retentionSeconds }),
    isPersistent: () => settings().rest.jwtUsedRefreshTokensPersistent,
  });
  const refresh = createTokenRefresh({ verifier, issuer, ledger, identities });
  const provider = createBearerProvider({ verifier, identities, settings, logger });
  return { keys, issuer, refresh, provider };
}
