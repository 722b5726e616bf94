import { NotAuthenticated, NotPermitted } from '../../base/errors.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity, Principal } from '../identity/identity.ts';
import { findRequiredActionOf, findCurrentIdentity, isSameRevocation } from '../identity/current-identity.ts';
import { findService } from '../../settings/token-settings.ts';
import type { TokenSettings } from '../../settings/token-settings.ts';
import { refusePendingPasswordChange } from './token-identity.ts';
import type { TokenIssuer, TokenPair } from './token-issuer.ts';

/** Returns true if tokens are enabled and an issuing service matches the target. */
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
 * Issues a token pair for other credentials.
 *
 * @param principal caller; an access token is not accepted, because a stolen one could be renewed indefinitely
 * @throws {NotAuthenticated} `NOT_AUTHENTICATED`, also if the identity was deleted or its credentials were replaced during the
 *   call; `BEARER_NOT_ACCEPTED` or `LOCAL_NOT_ACCEPTED`
 * @throws {NotPermitted} `PASSWORD_CHANGE_NEEDED` or `SECOND_FACTOR_REQUIRED`, also if it became required during the call
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
    // During a long key creation, the identity may have been deleted and created again under the same name.
    const current = getCurrentIdentity(principal, identities);
    // Tokens revoked while they were signed would be invalid on arrival.
    if (isSameRevocation(current, identity)) return pair;
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
