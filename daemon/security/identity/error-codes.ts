import { AT_START, PRINTED } from '../../base/error-codes.ts';
import type { DeclaredCode } from '../../base/error-codes.ts';

declare module '../../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly security: typeof SECURITY_CODES;
  }
}

/** Error codes of identities, sessions, tokens, certificates, the audit log and idempotency keys. */
export const SECURITY_CODES = {
  BASIC_DISABLED: {
    status: 401,
    meaning: 'BASIC credentials are disabled',
    remedy: 'log in or send a token, or enable them',
  },
  BEARER_NOT_ACCEPTED: {
    status: 401,
    meaning: 'tokens are not issued for a bearer token',
    remedy: 'use other credentials',
  },
  CURRENT_PASSWORD_WRONG: { status: 401, meaning: 'the current password is wrong', remedy: 'enter it again' },
  GRANT_INVALID: {
    status: 400,
    meaning: 'a grant of the identity is not allowed',
    remedy: 'correct what the message names',
  },
  IDENTITY_EXISTS: {
    status: [400, 409],
    meaning: 'an identity with this name already exists',
    remedy: 'choose another name',
  },
  IDENTITY_NAME_INVALID: {
    status: 400,
    meaning: 'the identity name is not allowed',
    remedy: 'choose another name',
  },
  IDENTITY_NOT_FOUND: {
    status: [400, 404],
    meaning: 'no identity has this name',
    remedy: 'list the identities',
  },
  IDENTITY_STALE: {
    status: 412,
    meaning: 'the identity changed since it was read',
    remedy: 'read it again and repeat the change',
  },
  IDEMPOTENCY_KEYS_FULL: {
    status: 429,
    meaning: 'too many stored idempotency keys, of this identity or in total',
    remedy: 'repeat after `Retry-After`, or without a key',
  },
  IDEMPOTENCY_KEY_MALFORMED: {
    status: 400,
    meaning: 'the idempotency key is too long or contains characters that are not allowed',
    remedy: 'choose another one',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: 'the idempotency key was used for a different request',
    remedy: 'choose another one',
  },
  IDEMPOTENCY_KEY_RUNNING: {
    status: 409,
    meaning: 'the first request with this idempotency key is still in progress',
    remedy: 'repeat later',
  },
  LAST_ADMINISTRATOR: {
    status: 409,
    meaning: 'the change would leave no administrator',
    remedy: 'make another identity administrator first',
  },
  LOCAL_NOT_ACCEPTED: {
    status: 401,
    meaning: 'tokens are not issued over the local socket',
    remedy: 'use the network, with credentials',
  },
  LOGIN_FAILED: {
    status: 401,
    meaning: 'user name, password or certificate is incorrect',
    remedy: 'check them',
  },
  LOGIN_METHOD_DISABLED: {
    status: 404,
    meaning: 'this login method is disabled',
    remedy: 'use another, or enable it',
  },
  NOT_AUTHENTICATED: {
    status: 401,
    meaning: 'no valid credentials',
    remedy: 'send a certificate, session, BASIC or token',
  },
  PASSWORD_BLANK: { status: 400, meaning: 'a password is missing or blank', remedy: 'send one' },
  PASSWORD_CHANGE_NEEDED: { status: 403, meaning: 'the password must be changed first', remedy: 'change it' },
  PASSWORD_CONTRADICTORY: {
    status: 400,
    meaning: 'a password is given although `passwordAuthEnabled` is false',
    remedy: 'leave one of them out',
  },
  PASSWORD_HASHING_FAILED: { status: 503, meaning: 'password hashing failed', remedy: 'repeat; see the log' },
  PASSWORD_HASHING_STOPPED: { status: 503, meaning: 'the gateway is stopping', remedy: 'repeat later' },
  PASSWORD_MISSING: { status: 400, meaning: 'a password is required', remedy: 'send one' },
  PASSWORD_NOT_USABLE: {
    status: 400,
    meaning: 'the password is too long, or not Unicode text',
    remedy: 'choose another',
  },
  PASSWORD_QUEUE_FULL: {
    status: 503,
    meaning: 'too many password checks are queued',
    remedy: 'repeat after `Retry-After`',
  },
  PASSWORD_TOO_WEAK: {
    status: 400,
    meaning: 'the password violates the password rules',
    remedy: 'see `passwordRequirements`',
  },
  PASSWORD_UNCHANGED: {
    status: 400,
    meaning: 'the new password equals the current one',
    remedy: 'choose another',
  },
  PERMISSION_BEYOND_OWN: {
    status: 403,
    meaning: 'the caller would grant a permission that it does not have',
    remedy: 'ask an administrator',
  },
  PERMISSION_BUILT_IN: {
    status: 409,
    meaning: 'the permission belongs to the gateway and cannot be deleted',
    remedy: 'take it from the identities that should not have it',
  },
  PERMISSION_EXISTS: {
    status: 409,
    meaning: 'a permission with this name already exists',
    remedy: 'choose another name',
  },
  PERMISSION_INVALID: { status: 400, meaning: 'unknown permission', remedy: 'list `definedPermissions`' },
  PERMISSION_LIMIT: {
    status: 400,
    meaning: 'too many permissions are defined',
    remedy: 'delete those that are no longer used',
  },
  PERMISSION_MISSING: {
    status: 403,
    meaning: 'the identity lacks the permission for the endpoint, or for a changed section',
    remedy: 'ask an administrator',
  },
  PERMISSION_UNKNOWN: {
    status: [400, 404],
    meaning: 'no permission has this name',
    remedy: 'list `definedPermissions`',
  },
  SECOND_FACTOR_ACTIVE: {
    status: 409,
    meaning: 'the identity already has a second factor',
    remedy: 'disable it before setting up another',
  },
  SECOND_FACTOR_NEEDED: {
    status: 401,
    meaning: 'the password is correct, but the second-factor code is missing',
    remedy: 'ask the user for one and send both',
  },
  SECOND_FACTOR_NOT_ACTIVE: {
    status: 409,
    meaning: 'the identity has no second factor',
    remedy: 'set one up',
  },
  SECOND_FACTOR_NOT_BEGUN: {
    status: 409,
    meaning: 'no second-factor setup is pending in this session, or it has expired',
    remedy: 'start again',
  },
  SECOND_FACTOR_NOT_SET_UP: {
    status: 400,
    meaning: 'only the identity itself can enable its second factor',
    remedy: 'require it; the identity sets it up',
  },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    meaning: 'a second factor must be set up first',
    remedy: 'set it up',
  },
  SECOND_FACTOR_WRONG: {
    status: 401,
    meaning: 'the second-factor code is wrong or already used',
    remedy: 'use the next one; compare the clocks',
  },
  SESSION_LIMIT_REACHED: {
    status: 503,
    meaning: 'too many open sessions',
    remedy: 'log out elsewhere; repeat later',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    meaning: 'unknown session, or not visible to the caller',
    remedy: 'list the sessions; it may have ended',
  },
  SESSIONS_DISABLED: { status: 401, meaning: 'sessions are disabled', remedy: 'use other credentials' },
  SESSION_REQUIRED: { status: 401, meaning: 'the endpoint requires a session', remedy: 'log in' },
  SETTINGS_WITHOUT_IDENTITY: {
    status: 409,
    meaning: 'the caller is not a stored identity, so it has no settings',
    remedy: 'log in as an identity',
  },
  SIGNING_KEY_CONFIGURED: {
    status: 409,
    meaning: 'the key of the token service is configured as a file',
    remedy: 'replace the file',
  },
  STATELESS_CERTIFICATES_DISABLED: {
    status: 401,
    meaning: 'client certificates without a session are disabled',
    remedy: 'log in with the certificate, or enable them',
  },
  TOKENS_DISABLED: { status: 401, meaning: 'access tokens are disabled', remedy: 'use other credentials' },
  TOO_MANY_FAILED_LOGINS: {
    status: 429,
    meaning: 'too many wrong passwords or codes from this address or for this name',
    remedy: 'wait for `Retry-After`',
  },
  USERNAME_BLANK: {
    status: 400,
    meaning: 'the user name of a login is blank',
    remedy: 'send the name of an identity',
  },
  CERTIFICATE_FILE_UNREADABLE: { meaning: 'cannot read a file', remedy: 'check path and permissions' },
  CERTIFICATE_INVALID: { meaning: 'a file contains no valid certificate', remedy: 'replace it' },
  CERTIFICATE_KEY_MISMATCH: {
    meaning: 'certificate and private key do not match',
    remedy: 'replace one of the files',
  },
  KEY_STORE_ENTRY_UNKNOWN: {
    status: 404,
    meaning: 'no key store or no entry has this name',
    remedy: 'list the entries',
  },
  KEY_WEAK: {
    meaning: 'a key is too weak: it can be computed or imitated',
    remedy: 'make a new key: [why](../how-to/certificates.md#keys-that-are-refused)',
  },
  PRIVATE_KEY_INVALID: { meaning: 'a file contains no usable private key', remedy: 'replace it' },
  PRIVATE_KEY_TOO_OPEN: {
    meaning: 'a private key is accessible to other users',
    remedy: '`chmod 600` the file',
  },
  SIGNING_KEY_UNSUITABLE: { meaning: 'the key is not suitable for the algorithm', remedy: 'use another key' },
  SIGNING_KEY_UNUSABLE: { meaning: 'cannot use the signing key', remedy: 'see the log' },
  TOKEN_ALGORITHM_REFUSED: {
    status: 401,
    meaning: 'the algorithm of the token is not accepted',
    remedy: 'sign with one of [these](../how-to/tokens.md)',
  },
  TOKEN_AUDIENCE_REFUSED: {
    status: 401,
    meaning: 'the token is not for this gateway or this use',
    remedy: 'check `aud`',
  },
  TOKEN_CLAIM_INVALID: { status: 401, meaning: 'a claim is invalid', remedy: 'correct the issuer' },
  TOKEN_CLAIM_MISSING: { status: 401, meaning: 'a claim is missing', remedy: 'correct the issuer' },
  TOKEN_CRITICAL_HEADER: {
    status: 401,
    meaning: 'the token requires an unsupported extension (`crit`)',
    remedy: 'issue tokens without it',
  },
  TOKEN_EXPIRED: { status: 401, meaning: 'the token has expired', remedy: 'refresh it; compare the clocks' },
  TOKEN_IDENTITY_UNKNOWN: {
    status: 401,
    meaning: 'the identity of the token does not exist',
    remedy: 'create it',
  },
  TOKEN_ISSUER_REFUSED: { status: 401, meaning: 'the issuer is not trusted', remedy: 'check `iss`' },
  TOKEN_LEDGER_FULL: {
    status: 503,
    meaning: 'too many used refresh tokens are stored for this issuer or identity',
    remedy: 'repeat later; refresh less often',
  },
  TOKEN_LEDGER_UNAVAILABLE: {
    status: 503,
    meaning: 'cannot store used refresh tokens',
    remedy: 'free disk space; see the log',
  },
  TOKEN_MALFORMED: { status: 401, meaning: 'not a signed token', remedy: 'check what is sent' },
  TOKEN_NOT_YET_VALID: { status: 401, meaning: 'the token is not valid yet', remedy: 'compare the clocks' },
  TOKEN_OLDER_THAN_IDENTITY: {
    status: 401,
    meaning:
      'the identity was created after the token, or the token has no issue time and the identity name was used before',
    remedy: 'get a new token',
  },
  TOKEN_REVOKED: {
    status: 401,
    meaning: 'the tokens of the identity were revoked',
    remedy: 'log in again for a new token',
  },
  TOKEN_SERVICE_MISSING: {
    status: 404,
    meaning: 'no token service matches the target',
    remedy: 'correct the [configuration](../how-to/tokens.md)',
  },
  TOKEN_SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'cannot read a key or certificate at the moment',
    remedy: 'see the log; repeat later',
  },
  TOKEN_SIGNATURE_INVALID: {
    status: 401,
    meaning: 'no trusted key signed the token',
    remedy: 'check the key of the issuer',
  },
  TOKEN_SIGNING_FAILED: { meaning: 'cannot sign a token', remedy: 'see the log' },
  TOKEN_TOO_LONG: { status: 401, meaning: 'the token is too long', remedy: 'use fewer claims' },
  TOKEN_USED: {
    status: 401,
    meaning: 'the refresh token was used before',
    remedy: 'log in again; the token may have been copied',
  },
  INTERRUPTED: {
    meaning:
      'of an [audit event](audit.md#durability): the gateway exited before the outcome of a change was known',
    remedy: 'check the current state of what was changed',
  },
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
} as const satisfies Readonly<Record<string, DeclaredCode>>;
