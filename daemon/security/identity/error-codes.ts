import { AT_START, PRINTED } from '../../base/error-codes.ts';
import type { DeclaredCode } from '../../base/error-codes.ts';

declare module '../../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly security: typeof SECURITY_CODES;
  }
}

const RULE = 'each is a part of PASSWORD_TOO_WEAK';

/** Error codes of identities, sessions, tokens, certificates, the audit log and idempotency keys. */
export const SECURITY_CODES = {
  BEARER_NOT_ACCEPTED: { status: 401, meaning: 'tokens are not issued for a bearer token' },
  CURRENT_PASSWORD_WRONG: { status: 401, meaning: 'the current password is wrong' },
  GRANT_INVALID: { status: 400, meaning: 'a grant of the identity is not allowed' },
  IDENTITY_EXISTS: { status: [400, 409], meaning: 'an identity with this name already exists' },
  IDENTITY_NAME_INVALID: { status: 400, meaning: 'the identity name is not allowed' },
  IDENTITY_NOT_FOUND: { status: 404, meaning: 'no identity has this name' },
  IDENTITY_STALE: { status: 412, meaning: 'the identity changed since it was read' },
  IDEMPOTENCY_KEYS_FULL: {
    status: 429,
    meaning: 'too many stored idempotency keys, of this identity or in total',
  },
  IDEMPOTENCY_KEY_MALFORMED: {
    status: 400,
    meaning: 'the idempotency key is too long or contains characters that are not allowed',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'the idempotency key was used for a different request' },
  IDEMPOTENCY_KEY_RUNNING: {
    status: 409,
    meaning: 'the first request with this idempotency key is still in progress',
  },
  LAST_ADMINISTRATOR: { status: 409, meaning: 'the change would leave no administrator' },
  LOCAL_NOT_ACCEPTED: { status: 401, meaning: 'tokens are not issued over the local socket' },
  LOGIN_FAILED: { status: 401, meaning: 'user name, password or certificate is incorrect' },
  LOGIN_METHOD_DISABLED: { status: 404, meaning: 'this login method is disabled' },
  NOT_AUTHENTICATED: { status: 401, meaning: 'no valid credentials' },
  PASSWORD_BLANK: { status: 400, meaning: 'a password is missing or blank' },
  PASSWORD_CHANGE_NEEDED: { status: 403, meaning: 'the password must be changed first' },
  PASSWORD_CONTRADICTORY: {
    status: 400,
    meaning: 'a password is given although `passwordAuthEnabled` is false',
  },
  PASSWORD_HASHING_FAILED: { status: 503, meaning: 'password hashing failed' },
  PASSWORD_HASHING_STOPPED: { status: 503, meaning: 'the gateway is stopping' },
  PASSWORD_MISSING: { status: 400, meaning: 'a password is required' },
  PASSWORD_NOT_USABLE: { status: 400, meaning: 'the password is too long, or not Unicode text' },
  PASSWORD_QUEUE_FULL: { status: 503, meaning: 'too many password checks are queued' },
  PASSWORD_TOO_WEAK: { status: 400, meaning: 'the password violates the password rules' },
  PASSWORD_UNCHANGED: { status: 400, meaning: 'the new password equals the current one' },
  PERMISSION_BEYOND_OWN: {
    status: 403,
    meaning: 'the caller would grant a permission that it does not have',
  },
  PERMISSION_INVALID: { status: 400, meaning: 'unknown permission' },
  PERMISSION_MISSING: {
    status: 403,
    meaning: 'the identity lacks the permission for the endpoint, or for a changed section',
  },
  SECOND_FACTOR_ACTIVE: { status: 409, meaning: 'the identity already has a second factor' },
  SECOND_FACTOR_NEEDED: {
    status: 401,
    meaning: 'the password is correct, but the second-factor code is missing',
  },
  SECOND_FACTOR_NOT_ACTIVE: { status: 409, meaning: 'the identity has no second factor' },
  SECOND_FACTOR_NOT_BEGUN: {
    status: 409,
    meaning: 'no second-factor setup is pending in this session, or it has expired',
  },
  SECOND_FACTOR_NOT_SET_UP: { status: 400, meaning: 'only the identity itself can enable its second factor' },
  SECOND_FACTOR_REQUIRED: { status: 403, meaning: 'a second factor must be set up first' },
  SECOND_FACTOR_WRONG: { status: 401, meaning: 'the second-factor code is wrong or already used' },
  SESSION_LIMIT_REACHED: { status: 503, meaning: 'too many open sessions' },
  SESSION_NOT_FOUND: { status: 404, meaning: 'unknown session, or not visible to the caller' },
  SESSION_REQUIRED: { status: 401, meaning: 'the endpoint requires a session' },
  SIGNING_KEY_CONFIGURED: { status: 409, meaning: 'the key of the token service is configured as a file' },
  TOO_MANY_FAILED_LOGINS: {
    status: 429,
    meaning: 'too many wrong passwords or codes from this address or for this name',
  },
  USERNAME_BLANK: { status: 400, meaning: 'the user name of a login is blank' },
  CERTIFICATE_FILE_UNREADABLE: { meaning: 'cannot read a file' },
  CERTIFICATE_INVALID: { meaning: 'a file contains no valid certificate' },
  CERTIFICATE_KEY_MISMATCH: { meaning: 'certificate and private key do not match' },
  KEY_WEAK: { meaning: 'a key is too weak: it can be computed or imitated' },
  PRIVATE_KEY_INVALID: { meaning: 'a file contains no usable private key' },
  PRIVATE_KEY_TOO_OPEN: { meaning: 'a private key is accessible to other users' },
  SIGNING_KEY_UNSUITABLE: { meaning: 'the key is not suitable for the algorithm' },
  SIGNING_KEY_UNUSABLE: { meaning: 'cannot use the signing key' },
  TOKEN_ALGORITHM_REFUSED: { status: 401, meaning: 'the algorithm of the token is not accepted' },
  TOKEN_AUDIENCE_REFUSED: { status: 401, meaning: 'the token is not for this gateway or this use' },
  TOKEN_CLAIM_INVALID: { status: 401, meaning: 'a claim is invalid' },
  TOKEN_CLAIM_MISSING: { status: 401, meaning: 'a claim is missing' },
  TOKEN_CRITICAL_HEADER: { status: 401, meaning: 'the token requires an unsupported extension (`crit`)' },
  TOKEN_EXPIRED: { status: 401, meaning: 'the token has expired' },
  TOKEN_IDENTITY_UNKNOWN: { status: 401, meaning: 'the identity of the token does not exist' },
  TOKEN_ISSUER_REFUSED: { status: 401, meaning: 'the issuer is not trusted' },
  TOKEN_LEDGER_FULL: {
    status: 503,
    meaning: 'too many used refresh tokens are stored for this issuer or identity',
  },
  TOKEN_LEDGER_UNAVAILABLE: { status: 503, meaning: 'cannot store used refresh tokens' },
  TOKEN_MALFORMED: { status: 401, meaning: 'not a signed token' },
  TOKEN_NOT_YET_VALID: { status: 401, meaning: 'the token is not valid yet' },
  TOKEN_OLDER_THAN_IDENTITY: {
    status: 401,
    meaning:
      'the identity was created after the token, or the token has no issue time and the identity name was used before',
  },
  TOKEN_REVOKED: { status: 401, meaning: 'the tokens of the identity were revoked' },
  TOKEN_SERVICE_MISSING: { status: 404, meaning: 'no token service matches the target' },
  TOKEN_SERVICE_UNAVAILABLE: { status: 503, meaning: 'cannot read a key or certificate at the moment' },
  TOKEN_SIGNATURE_INVALID: { status: 401, meaning: 'no trusted key signed the token' },
  TOKEN_SIGNING_FAILED: { meaning: 'cannot sign a token' },
  TOKEN_TOO_LONG: { status: 401, meaning: 'the token is too long' },
  TOKEN_USED: { status: 401, meaning: 'the refresh token was used before' },
  INTERRUPTED: { meaning: 'of an audit event: the gateway exited before the outcome of a change was known' },
  CERTIFICATE_MAKER_FAILED: { meaning: 'cannot create a certificate', internal: PRINTED },
  CERTIFICATE_REQUEST_INVALID: {
    meaning: 'the names or the validity of a certificate request are not allowed',
    internal: PRINTED,
  },
  PASSWORD_UNSUITABLE: { meaning: 'the password is not suitable for a PKCS #12 file', internal: PRINTED },
  CERTIFICATE_AUTHORITIES_INVALID: {
    meaning: 'a file contains no usable CA certificates',
    internal: AT_START,
  },
  REVOCATION_LIST_INVALID: { meaning: 'a file contains no usable revocation list', internal: AT_START },
  PASSWORD_NOT_TEXT: { meaning: 'the password is not valid Unicode text', internal: RULE },
  PASSWORD_TOO_LONG: { meaning: 'the password is too long', internal: RULE },
  PASSWORD_TOO_SHORT: { meaning: 'the password is too short', internal: RULE },
  PASSWORD_WITH_CONTROL_CHARACTER: { meaning: 'the password contains a control character', internal: RULE },
  PASSWORD_WITH_NAME: {
    meaning: 'the password contains the name of the identity or of the product',
    internal: RULE,
  },
  PASSWORD_COMMON: { meaning: 'the password is one of the most common ones', internal: RULE },
  PASSWORD_WITHOUT_BOTH_CASES: {
    meaning: 'the password lacks upper-case or lower-case letters',
    internal: RULE,
  },
  PASSWORD_WITHOUT_DIGIT: { meaning: 'the password has no digit', internal: RULE },
  PASSWORD_WITHOUT_SPECIAL_CHARACTER: { meaning: 'the password has no special character', internal: RULE },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
