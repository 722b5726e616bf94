import type { IdentityStore } from '../identity/identity-store.ts';
import { findService } from '../../settings/token-settings.ts';
import type { TokenSettings } from '../../settings/token-settings.ts';
import { isIssuingAvailable } from './issue.ts';
import { TokenRefused } from './token-error.ts';
import { getIdentityOf } from './token-identity.ts';
import type { TokenIssuer, TokenPair } from './token-issuer.ts';
import type { TokenVerifier } from './token-verifier.ts';
import type { UsedTokenStore } from './used-token-store.ts';

/** A used token that was presented again: a copy of it exists. */
export interface Replay {
  readonly iss: string;
  readonly jti: string;
  readonly identityName: string;
}

/** A new pair and the identity that it belongs to. */
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

/** Returns whether tokens are switched on and both an issuing and a verification service match the targets. */
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
   * Uses up a refresh token. It is consumed exactly when a pair is given for it; of concurrent uses one succeeds.
   *
   * @param text the token without surrounding white space
   * @param onReplay called when a used token is presented again, before the refusal is thrown
   * @throws {TokenRefused} among others `TOKEN_USED`
   * @throws {NotPermitted} `PASSWORD_CHANGE_NEEDED`
   * @throws {NotFound} `TOKEN_SERVICE_MISSING`
   * @throws {TokenError} when the new pair could not be signed; the token is not consumed
   * @throws {Unavailable} when a service or the ledger is temporarily unavailable; the token is not consumed
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
    // Saves a signature for a token known to be used; only `claim` decides.
    if (ledger.isClaimed(iss, jti)) throw refuseUsed();
    // Issued first and claimed last: when issuing fails, the token can be used again.
    const pair = await issuer.issue(identity);
    // The identity may have changed while the pair was signed. From here to the return nothing is awaited.
    getIdentityOf(claims, identities);
    if (!ledger.claim({ iss, jti, sub: identityName, exp })) throw refuseUsed();
    return { pair, identityName };
  }
}
