import type { ErrorCode } from '../../base/error-codes.ts';
import type { GatewayError } from '../../base/errors.ts';

const BAD_GATEWAY = 502;

/** Response header with the code of an error. */
export const ERROR_HEADER = 'Penstock-Error';

/**
 * Codes that clients may see in the header. A code that is missing here is in the audit log and in the log only.
 * No two of them may have the same message: the header would reveal what the message hides.
 */
export const SHOWN_CODES = [
  'ANSWERS_EXHAUSTED',
  'ASSET_EXISTS',
  'ASSET_OVERLOADED',
  'ASSET_UNKNOWN',
  'BASIC_DISABLED',
  'BODIES_EXHAUSTED',
  'BODY_TOO_LARGE',
  'BROWSE_UNSUPPORTED',
  'BUNDLE_UNKNOWN',
  'BUNDLE_WITHOUT_PROGRAM',
  'CONFIGURATION_INVALID',
  'CONFIGURATION_STALE',
  'CONFIRMATION_NOT_PENDING',
  'CONFIRMATION_OF_ANOTHER',
  'CONFIRMATION_PENDING',
  'CURRENT_PASSWORD_WRONG',
  'DEPLOYMENT_QUEUE_FULL',
  'DEPLOYMENT_UNWRITABLE',
  'DEVICE_IN_USE',
  'DRIVER_UNKNOWN',
  'IDEMPOTENCY_KEYS_FULL',
  'IDEMPOTENCY_KEY_RUNNING',
  'IDENTITY_EXISTS',
  'IDENTITY_NAME_INVALID',
  'IDENTITY_NOT_FOUND',
  'IDENTITY_STALE',
  'ITEM_UNKNOWN',
  'JOURNAL_UNREADABLE',
  'LAST_ADMINISTRATOR',
  'LOGIN_FAILED',
  'LOGIN_METHOD_DISABLED',
  'OPERATION_UNKNOWN',
  'PACKAGE_TOO_LARGE',
  'PACKAGE_UNKNOWN',
  'PASSWORD_CHANGE_NEEDED',
  'PASSWORD_QUEUE_FULL',
  'PASSWORD_TOO_WEAK',
  'PASSWORD_UNCHANGED',
  'PERMISSION_BEYOND_OWN',
  'PERMISSION_MISSING',
  'SCANS_TOO_MANY',
  'SCAN_RUNNING',
  'SCAN_UNKNOWN',
  'SCAN_UNSUPPORTED',
  'SECOND_FACTOR_ACTIVE',
  'SECOND_FACTOR_NEEDED',
  'SECOND_FACTOR_NOT_ACTIVE',
  'SECOND_FACTOR_NOT_BEGUN',
  'SECOND_FACTOR_REQUIRED',
  'SECOND_FACTOR_WRONG',
  'SESSIONS_DISABLED',
  'SESSION_LIMIT_REACHED',
  'SESSION_NOT_FOUND',
  'SNAPSHOT_INVALID',
  'SNAPSHOT_UNKNOWN',
  'STATELESS_CERTIFICATES_DISABLED',
  'STORAGE_FULL',
  'STORE_FAILED',
  'STORE_FULL',
  'STREAMS_EXHAUSTED',
  'STREAMS_OF_IDENTITY_EXHAUSTED',
  'TEMPLATE_UNKNOWN',
  'TOKENS_DISABLED',
  'TOO_MANY_FAILED_LOGINS',
  'TRACE_UNSUPPORTED',
  'TRUST_UNSUPPORTED',
  'UPLOADS_TOO_MANY',
  'UPLOAD_BUSY',
  'UPLOAD_INVALID',
  'UPLOAD_TOO_LARGE',
  'UPLOAD_TOO_SLOW',
  'YAML_QUEUE_FULL',
] as const satisfies readonly ErrorCode[];

type ShownCode = (typeof SHOWN_CODES)[number];

const SHOWN: ReadonlySet<string> = new Set(SHOWN_CODES);

// What exists and must stay hidden has the code of what does not exist.
const SHOWN_AS: Readonly<Partial<Record<ErrorCode, ShownCode>>> = { ASSET_NOT_GRANTED: 'ASSET_UNKNOWN' };

/**
 * Returns the code of an error as its client may see it; undefined for codes that are not shown. What a device or another server
 * answered has its own code, as in the record of a channel.
 */
export function findShownCode({ code }: Pick<GatewayError, 'code'>, status?: number): string | undefined {
  if (status === BAD_GATEWAY) return code;
  const shown = SHOWN_AS[code] ?? code;
  return SHOWN.has(shown) ? shown : undefined;
}
