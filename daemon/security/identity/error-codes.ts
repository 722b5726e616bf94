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
  BEARER_NOT_ACCEPTED: { status: 401, meaning: 'tokens are not issued for a token' },
  CURRENT_PASSWORD_WRONG: { status: 401, meaning: 'the current password is wrong' },
  GRANT_INVALID: { status: 400, meaning: 'a grant of the identity is not allowed' },
  IDENTITY_EXISTS: { status: [400, 409], meaning: 'an identity has this name already' },
  IDENTITY_NAME_INVALID: { status: 400, meaning: 'the name of the identity is not allowed' },
  IDENTITY_NOT_FOUND: { status: 404, meaning: 'no identity has this name' },
  IDENTITY_STALE: { status: 412, meaning: 'the identity changed since it was read' },
  IDEMPOTENCY_KEYS_FULL: {
    status: 429,
    meaning: 'too many idempotency keys are kept, of this identity or of all',
  },
  IDEMPOTENCY_KEY_MALFORMED: {
    status: 400,
    meaning: 'the idempotency key is too long, or has characters that are not allowed',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'the idempotency key was used for another request' },
  IDEMPOTENCY_KEY_RUNNING: { status: 409, meaning: 'the first request with this idempotency key still runs' },
  LAST_ADMINISTRATOR: { status: 409, meaning: 'the change would leave no administrator' },
  LOCAL_NOT_ACCEPTED: { status: 401, meaning: 'tokens are not issued over the local socket' },
  LOGIN_FAILED: { status: 401, meaning: 'name, password or certificate is not correct' },
  LOGIN_METHOD_DISABLED: { status: 404, meaning: 'this way to log in is switched off' },
  NOT_AUTHENTICATED: { status: 401, meaning: 'there are no valid credentials' },
  PASSWORD_BLANK: { status: 400, meaning: 'a password is missing or blank' },
  PASSWORD_CHANGE_NEEDED: { status: 403, meaning: 'the password has to be changed first' },
  PASSWORD_CONTRADICTORY: { status: 400, meaning: 'a password is given, and `passwordAuthEnabled` is false' },
  PASSWORD_HASHING_FAILED: { status: 503, meaning: 'a password could not be hashed' },
  PASSWORD_HASHING_STOPPED: { status: 503, meaning: 'the gateway stops' },
  PASSWORD_MISSING: { status: 400, meaning: 'a password is needed' },
  PASSWORD_NOT_USABLE: { status: 400, meaning: 'the password is too long, or not Unicode text' },
  PASSWORD_QUEUE_FULL: { status: 503, meaning: 'too many passwords wait to be checked' },
  PASSWORD_TOO_WEAK: { status: 400, meaning: 'the password breaks rules' },
  PASSWORD_UNCHANGED: { status: 400, meaning: 'the new password is the current one' },
  PERMISSION_BEYOND_OWN: {
    status: 403,
    meaning: 'the identity would give a permission that it does not have',
  },
  PERMISSION_INVALID: { status: 400, meaning: 'there is no such permission' },
  PERMISSION_MISSING: {
    status: 403,
    meaning: 'the identity lacks the permission of the endpoint, or of a section that would change',
  },
  SECOND_FACTOR_ACTIVE: { status: 409, meaning: 'the identity has a second factor' },
  SECOND_FACTOR_NEEDED: {
    status: 401,
    meaning: 'the password is right, and the code of the second factor is missing',
  },
  SECOND_FACTOR_NOT_ACTIVE: { status: 409, meaning: 'the identity has no second factor' },
  SECOND_FACTOR_NOT_BEGUN: {
    status: 409,
    meaning: 'no second factor waits for its first code in this session, or no longer',
  },
  SECOND_FACTOR_NOT_SET_UP: { status: 400, meaning: 'an administrator cannot switch on a second factor' },
  SECOND_FACTOR_REQUIRED: { status: 403, meaning: 'a second factor has to be set up first' },
  SECOND_FACTOR_WRONG: { status: 401, meaning: 'the code of the second factor is wrong, or was used' },
  SESSION_LIMIT_REACHED: { status: 503, meaning: 'there are too many sessions' },
  SESSION_NOT_FOUND: { status: 404, meaning: 'no open session that the caller may see has this id' },
  SESSION_REQUIRED: { status: 401, meaning: 'the endpoint needs a session' },
  SIGNING_KEY_CONFIGURED: { status: 409, meaning: 'the key of the token service comes from a file' },
  TOO_MANY_FAILED_LOGINS: {
    status: 429,
    meaning: 'after wrong passwords or codes, this address or name has to wait',
  },
  USERNAME_BLANK: { status: 400, meaning: 'a login names nobody' },
  CERTIFICATE_FILE_UNREADABLE: { meaning: 'a file cannot be read' },
  CERTIFICATE_INVALID: { meaning: 'a file holds no valid certificate' },
  CERTIFICATE_KEY_MISMATCH: { meaning: 'certificate and key do not belong together' },
  KEY_WEAK: { meaning: 'a key can be computed or imitated' },
  PRIVATE_KEY_INVALID: { meaning: 'a file holds no usable key' },
  PRIVATE_KEY_TOO_OPEN: { meaning: 'others can read the key' },
  SIGNING_KEY_UNSUITABLE: { meaning: 'the key does not fit the algorithm' },
  SIGNING_KEY_UNUSABLE: { meaning: 'the key cannot be used' },
  TOKEN_ALGORITHM_REFUSED: { status: 401, meaning: 'the algorithm of the token is not accepted' },
  TOKEN_AUDIENCE_REFUSED: { status: 401, meaning: 'the token is not for this gateway or this use' },
  TOKEN_CLAIM_INVALID: { status: 401, meaning: 'a claim has a wrong form' },
  TOKEN_CLAIM_MISSING: { status: 401, meaning: 'a claim is missing' },
  TOKEN_CRITICAL_HEADER: { status: 401, meaning: 'the token needs an extension (`crit`)' },
  TOKEN_EXPIRED: { status: 401, meaning: 'the token has expired' },
  TOKEN_IDENTITY_UNKNOWN: { status: 401, meaning: 'the identity of the token does not exist' },
  TOKEN_ISSUER_REFUSED: { status: 401, meaning: 'the issuer is not trusted' },
  TOKEN_LEDGER_FULL: {
    status: 503,
    meaning: 'too many used refresh tokens are remembered for this issuer or identity',
  },
  TOKEN_LEDGER_UNAVAILABLE: { status: 503, meaning: 'used refresh tokens cannot be stored' },
  TOKEN_MALFORMED: { status: 401, meaning: 'this is no signed token' },
  TOKEN_NOT_YET_VALID: { status: 401, meaning: 'the token is not valid yet' },
  TOKEN_OLDER_THAN_IDENTITY: {
    status: 401,
    meaning:
      'the identity was created after the token, or the token does not say when it was issued and an earlier identity had the name',
  },
  TOKEN_REVOKED: { status: 401, meaning: 'the tokens of the identity were revoked' },
  TOKEN_SERVICE_MISSING: { status: 404, meaning: 'no token service matches the target' },
  TOKEN_SERVICE_UNAVAILABLE: { status: 503, meaning: 'a key or certificate cannot be read at present' },
  TOKEN_SIGNATURE_INVALID: { status: 401, meaning: 'no trusted key signed the token' },
  TOKEN_SIGNING_FAILED: { meaning: 'a token could not be signed' },
  TOKEN_TOO_LONG: { status: 401, meaning: 'the token is too long' },
  TOKEN_USED: { status: 401, meaning: 'the refresh token was used before' },
  INTERRUPTED: { meaning: 'of an audit event: the gateway ended before it knew the outcome of a change' },
  CERTIFICATE_MAKER_FAILED: { meaning: 'a certificate could not be created', internal: PRINTED },
  CERTIFICATE_REQUEST_INVALID: {
    meaning: 'a certificate cannot be made of these names or for this time',
    internal: PRINTED,
  },
  PASSWORD_UNSUITABLE: { meaning: 'the password cannot protect a PKCS #12 file', internal: PRINTED },
  CERTIFICATE_AUTHORITIES_INVALID: {
    meaning: 'a file holds no usable certificate authorities',
    internal: AT_START,
  },
  REVOCATION_LIST_INVALID: { meaning: 'a file holds no usable revocation list', internal: AT_START },
  PASSWORD_NOT_TEXT: { meaning: 'the password is no valid text', internal: RULE },
  PASSWORD_TOO_LONG: { meaning: 'the password is too long', internal: RULE },
  PASSWORD_TOO_SHORT: { meaning: 'the password is too short', internal: RULE },
  PASSWORD_WITH_CONTROL_CHARACTER: { meaning: 'the password has a control character', internal: RULE },
  PASSWORD_WITH_NAME: {
    meaning: 'the password contains the name of the identity or of the product',
    internal: RULE,
  },
  PASSWORD_COMMON: { meaning: 'the password is one of the most common ones', internal: RULE },
  PASSWORD_WITHOUT_BOTH_CASES: { meaning: 'the password lacks upper or lower case letters', internal: RULE },
  PASSWORD_WITHOUT_DIGIT: { meaning: 'the password has no digit', internal: RULE },
  PASSWORD_WITHOUT_SPECIAL_CHARACTER: { meaning: 'the password has no special character', internal: RULE },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
