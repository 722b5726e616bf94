import { NotAuthenticated, NotPermitted } from '../../base/errors.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity, Principal } from '../identity/identity.ts';
import { findRequiredActionOf, findCurrentIdentity, isSameRevocation } from '../identity/current-identity.ts';
import { findService } from '../../settings/token-settings.ts';
import type { TokenSettings } from '../../settings/token-settings.ts';
import { refusePendingPasswordChange } from './token-identity.ts';
import type { TokenIssuer, TokenPair } from './token-issuer.ts';

/** Returns whether tokens are switched on and an issuing service matches the target. */
export function isIssuingAvailable({ rest, tokenIssuingServices }: TokenSettings): boolean {
  return (
    rest.jwtAuthenticationEnabled &&
    findService(tokenIssuingServices, rest.tokenIssuingServiceTarget) !== undefined
  );
}

interface IssueParts {
  readonly issuer: Pick<TokenIssuer, 'issue'>;
  readonly identities: Pick<IdentityStore, 'find'>;
}

/**
 * Exchanges another proof of identity for a pair of tokens.
 *
 * @param principal how the identity was proved; an access token is not accepted, since a stolen one could be renewed for
 *   ever
 * @throws {NotAuthenticated} `NOT_AUTHENTICATED`, also when the identity was deleted or its credentials replaced while the
 *   tokens were signed; `BEARER_NOT_ACCEPTED` or `LOCAL_NOT_ACCEPTED`
 * @throws {NotPermitted} `PASSWORD_CHANGE_NEEDED` or `SECOND_FACTOR_REQUIRED`, also when the need arose while the tokens were signed
 * @throws as {@link TokenIssuer.issue}
 */
export async function issueTokens(
  principal: Principal | undefined,
  { issuer, identities }: IssueParts,
): Promise<TokenPair> {
  if (principal === undefined) throw createNotAuthenticated();
  if (principal.method === 'bearer') {
    const detail = 'tokens are not issued for a bearer token';
    throw new NotAuthenticated({ code: 'BEARER_NOT_ACCEPTED', detail });
  }
  if (principal.method === 'local') {
    const detail = 'tokens are not issued over the local socket, which has no identity';
    throw new NotAuthenticated({ code: 'LOCAL_NOT_ACCEPTED', detail });
  }
  for (;;) {
    const identity = getCurrentIdentity(principal, identities);
    const pair = await issuer.issue(identity);
    // Creating a key can take long. The tokens may be younger than an identity that was created again under the same name.
    const present = getCurrentIdentity(principal, identities);
    // Those that were revoked while they were signed would be void when they arrive.
    if (isSameRevocation(present, identity)) return pair;
  }
}

function getCurrentIdentity(principal: Principal, identities: Pick<IdentityStore, 'find'>): Identity {
  const identity = findCurrentIdentity(principal, identities);
  if (identity === undefined) throw createNotAuthenticated();
  refusePendingPasswordChange(identity);
  if (findRequiredActionOf(principal, identity) !== undefined) {
    const detail = 'the identity must set up a second factor first';
    throw new NotPermitted({ code: 'SECOND_FACTOR_REQUIRED', detail });
  }
  return identity;
}

function createNotAuthenticated(): NotAuthenticated {
  return new NotAuthenticated({ code: 'NOT_AUTHENTICATED', detail: 'no valid credentials' });
}
