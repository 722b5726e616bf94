import { GatewayError, NotAuthenticated } from '../base/errors.ts';

/** Tokens cannot be signed until somebody puts a key or its settings right. */
export class TokenError extends GatewayError {}

/** Why a token was refused. */
type TokenFault =
  | 'TOKEN_TOO_LONG'
  | 'TOKEN_MALFORMED'
  | 'TOKEN_ALGORITHM_REFUSED'
  | 'TOKEN_CRITICAL_HEADER'
  | 'TOKEN_SIGNATURE_INVALID'
  | 'TOKEN_CLAIM_MISSING'
  | 'TOKEN_CLAIM_INVALID'
  | 'TOKEN_EXPIRED'
  | 'TOKEN_NOT_YET_VALID'
  | 'TOKEN_ISSUER_REFUSED'
  | 'TOKEN_AUDIENCE_REFUSED'
  | 'TOKEN_IDENTITY_UNKNOWN'
  | 'TOKEN_OLDER_THAN_IDENTITY'
  | 'TOKEN_USED';

/** A token proves nothing; its sender has to come with another one. */
export class TokenRefused extends NotAuthenticated {
  override readonly code: TokenFault;
  /** The claim at fault. */
  readonly claim: string | undefined;

  constructor(code: TokenFault, detail: string, claim?: string) {
    super({ code, detail });
    this.code = code;
    this.claim = claim;
  }
}
