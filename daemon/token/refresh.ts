import type { IdentityStore } from '../identity/identity-store.ts';
import { findService } from '../settings/token-settings.ts';
import type { TokenSettings } from '../settings/token-settings.ts';
import type { Claims } from './claims.ts';
import { isIssuingAvailable } from './issue.ts';
import { TokenRefused } from './token-error.ts';
import { getIdentityOf } from './token-identity.ts';
import type { TokenIssuer, TokenPair } from './token-issuer.ts';
import type { TokenVerifier } from './token-verifier.ts';
import type { UsedTokenLedger } from './used-token-ledger.ts';

/** A used token that came again: somebody has a copy of it. */
export interface Replay {
  readonly iss: string;
  readonly jti: string;
  readonly identityName: string;
}

/** Exchanges refresh tokens for new pairs. */
export interface TokenRefresh {
  /**
   * Uses up a refresh token. It is consumed exactly when a pair is given for it; of concurrent uses one succeeds.
   *
   * @param text the token without surrounding white space
   * @throws {TokenRefused} among others `TOKEN_USED`
   * @throws {NotPermitted} `PASSWORD_CHANGE_NEEDED`
   * @throws {NotFound} `TOKEN_SERVICE_MISSING`
   * @throws {TokenError} when the new pair could not be signed; the token is not consumed
   * @throws {Unavailable} when a service or the ledger is temporarily unable; the token is not consumed
   */
  refresh(text: string): Promise<TokenPair>;
}

export interface TokenRefreshOptions {
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  readonly issuer: TokenIssuer;
  readonly ledger: UsedTokenLedger;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly onReplay: (replay: Replay) => void;
}

/** Whether tokens are switched on and both an issuing and a verification service match the targets. */
export function isRefreshAvailable(settings: TokenSettings): boolean {
  const { rest, tokenVerificationServices } = settings;
  return (
    isIssuingAvailable(settings) &&
    findService(tokenVerificationServices, rest.tokenVerificationServiceTarget) !== undefined
  );
}

/** Makes the operation. */
export function createTokenRefresh(options: TokenRefreshOptions): TokenRefresh {
  const { verifier, issuer, ledger, identities, onReplay } = options;

  function refuseUsed(claims: Claims, jti: string): TokenRefused {
    onReplay({ iss: claims.iss, jti, identityName: claims.sub });
    return new TokenRefused('TOKEN_USED', 'the refresh token was used already', 'jti');
  }

  return {
    async refresh(text) {
      const claims = await verifier.verify(text, 'refresh');
      const { iss, jti, exp } = claims;
      if (jti === undefined) throw new TokenRefused('TOKEN_CLAIM_MISSING', 'the token has no jti', 'jti');
      const identity = getIdentityOf(claims, identities);
      // Spares a signature for what is known to be used; the decision is that of `claim` alone.
      if (ledger.isClaimed(iss, jti)) throw refuseUsed(claims, jti);
      // Issued first and claimed last: when issuing fails the token can be tried again.
      const pair = await issuer.issue(identity.name);
      // The identity may have changed while the pair was signed. From here to the return nothing waits.
      getIdentityOf(claims, identities);
      if (!ledger.claim(iss, jti, exp)) throw refuseUsed(claims, jti);
      return pair;
    },
  };
}
