import { GatewayError, NotAuthenticated, Unavailable } from '../../base/errors.ts';

/** Tokens cannot be signed until an administrator has fixed a key or its settings. */
export class TokenError extends GatewayError {}

/** Codes of rejected tokens. */
type TokenRefusalCode =
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
  | 'TOKEN_REVOKED'
  | 'TOKEN_USED';

/** A token was rejected; the client must send another one. */
export class TokenRefused extends NotAuthenticated {
  override readonly code: TokenRefusalCode;
  /** Invalid claim. */
  readonly claim: string | undefined;

  constructor(code: TokenRefusalCode, detail: string, claim?: string) {
    super({ code, detail });
    this.code = code;
    this.claim = claim;
  }
}

/** Creates the error for a token that cannot be verified at the moment, and may be valid. */
export function createUnavailable(): Unavailable {
  return new Unavailable({
    code: 'TOKEN_SERVICE_UNAVAILABLE',
    detail: 'cannot verify tokens; try again later',
    retryAfterSeconds: 5,
  });
}
