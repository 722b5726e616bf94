import { NotAuthenticated } from '../base/errors.ts';
import type { Principal } from '../identity/identity.ts';
import { findService } from '../settings/token-settings.ts';
import type { TokenSettings } from '../settings/token-settings.ts';
import { refusePendingPasswordChange } from './token-identity.ts';
import type { TokenIssuer, TokenPair } from './token-issuer.ts';

/** Whether tokens are switched on and an issuing service matches the target. */
export function isIssuingAvailable({ rest, tokenIssuingServices }: TokenSettings): boolean {
  return (
    rest.jwtAuthenticationEnabled &&
    findService(tokenIssuingServices, rest.tokenIssuingServiceTarget) !== undefined
  );
}

/**
 * Exchanges another proof of identity for a pair of tokens.
 *
 * @param principal how the identity was proved; an access token does not count, since whoever got hold of one could make
 *   it last for ever
 * @throws {NotAuthenticated} `NOT_AUTHENTICATED` or `BEARER_NOT_ACCEPTED`
 * @throws {NotPermitted} `PASSWORD_CHANGE_NEEDED`
 * @throws as {@link TokenIssuer.issue}
 */
export async function issueTokens(principal: Principal | undefined, issuer: TokenIssuer): Promise<TokenPair> {
  if (principal === undefined) {
    throw new NotAuthenticated({ code: 'NOT_AUTHENTICATED', detail: 'no valid credentials were given' });
  }
  if (principal.method === 'bearer') {
    const detail = 'tokens are not issued for a token';
    throw new NotAuthenticated({ code: 'BEARER_NOT_ACCEPTED', detail });
  }
  refusePendingPasswordChange(principal.identity);
  return issuer.issue(principal.identity.name);
}
