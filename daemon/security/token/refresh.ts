import type { IdentityStore } from '../identity/identity-store.ts';
import { findService } from '../../settings/token-settings.ts';
import type { TokenSettings } from '../../settings/token-settings.ts';
import { isIssuingAvailable } from './issue.ts';
import { TokenRefused } from './token-error.ts';
import { getIdentityOf } from './token-identity.ts';
import type { TokenIssuer, TokenPair } from './token-issuer.ts';
import type { TokenVerifier } from './token-verifier.ts';
import type { UsedTokenStore } from './used-token-store.ts';

/** A replayed token: another copy of it exists. */
export interface Replay {
  readonly iss: string;
  readonly jti: string;
  readonly identityName: string;
}

/** A new token pair and its identity. */
interface Refreshed {
  readonly pair: TokenPair;
  readonly identityName: string;
}

interface TokenRefreshOptions {
  readonly verifier: Pick<TokenVerifier, 'verify'>;
  readonly issuer: Pick<TokenIssuer, 'issue'>;
  readonly ledger: UsedTokenStore;
  readonly identities: Pick<IdentityStore, 'find'>;
}

/** Returns true if tokens are enabled and both an issuing and a verification service match the targets. */
export function isRefreshAvailable(settings: TokenSettings): boolean {
  const { rest, tokenVerificationServices } = settings;
  return (
    isIssuingAvailable(settings) &&
    findService(tokenVerificationServices, rest.tokenVerificationServiceTarget) !== undefined
  );
}

/** Exchanges refresh tokens for new pairs. */
export class TokenRefresh {
  readonly #options: TokenRefreshOptions;

  constructor(options: TokenRefreshOptions) {
    this.#options = options;
  }

  /**
   * Exchanges a refresh token. It is consumed exactly if a pair is returned; of concurrent uses, one succeeds.
   *
   * @param text the token without surrounding white space
   * @param onReplay called for a replayed token before the error is thrown
   * @throws {TokenRefused} among others `TOKEN_USED`
   * @throws {NotPermitted} `PASSWORD_CHANGE_NEEDED`
   * @throws {NotFound} `TOKEN_SERVICE_MISSING`
   * @throws {TokenError} if the new pair cannot be signed; the token is not consumed
   * @throws {Unavailable} if a service or the store of used tokens is temporarily unavailable; the token is not consumed
   */
  async refresh(text: string, onReplay: (replay: Replay) => void): Promise<Refreshed> {
    const { verifier, issuer, ledger, identities } = this.#options;
    const claims = await verifier.verify(text, 'refresh');
    const { iss, jti, exp, sub: identityName } = claims;
    if (jti === undefined) throw new TokenRefused('TOKEN_CLAIM_MISSING', 'the token has no claim jti', 'jti');
    const refuseUsed = (): TokenRefused => {
      onReplay({ iss, jti, identityName });
      return new TokenRefused('TOKEN_USED', 'the refresh token has already been used', 'jti');
    };
    const identity = getIdentityOf(claims, identities);
    // Saves a signature for an already used token; `claim` makes the decision.
    if (ledger.isClaimed(iss, jti)) throw refuseUsed();
    // Issued first and claimed last, so that the token remains usable if issuing fails.
    const pair = await issuer.issue(identity);
    // The identity may have changed while the pair was signed. No await from here to the return.
    getIdentityOf(claims, identities);
    if (!ledger.claim({ iss, jti, sub: identityName, exp })) throw refuseUsed();
    return { pair, identityName };
  }
}
