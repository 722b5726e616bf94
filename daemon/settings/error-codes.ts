import { AT_START } from '../base/error-codes.ts';
import type { DeclaredCode } from '../base/error-codes.ts';

declare module '../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly settings: typeof SETTINGS_CODES;
  }
}

/** Error codes of settings and the configuration. */
export const SETTINGS_CODES = {
  CONFIGURATION_INVALID: { status: 400, meaning: 'the configuration has errors' },
  CONFIGURATION_STALE: { status: 412, meaning: 'the configuration changed since it was read' },
  CONFIRMATION_NOT_PENDING: { status: 409, meaning: 'no change is pending confirmation' },
  CONFIRMATION_OF_ANOTHER: {
    status: 409,
    meaning: 'the pending change is not the one you named',
  },
  CONFIRMATION_PENDING: { status: 409, meaning: 'another change is pending confirmation' },
  ITEM_NOT_AN_OBJECT: { status: 400, meaning: 'an item of the configuration must be an object' },
  ITEM_UNKNOWN: { status: 404, meaning: 'no item of the section has this `pid`' },
  PID_MISMATCH: { status: 400, meaning: 'the `pid` in the body differs from that in the path' },
  SECTION_UNKNOWN: { status: 404, meaning: 'the configuration has no such section' },
  SECTION_WITHOUT_ITEMS: { status: 404, meaning: 'the section has no items' },
  SNAPSHOT_INVALID: { status: 400, meaning: 'the stored configuration has errors' },
  SNAPSHOT_UNKNOWN: { status: 404, meaning: 'no snapshot has this number' },
  YAML_INVALID: { status: 400, meaning: 'the YAML has an error' },
  YAML_QUEUE_FULL: { status: 503, meaning: 'too many long YAML texts are queued' },
  SETTINGS_INVALID: { meaning: 'a settings file has errors', internal: AT_START },
  SETTINGS_UNREADABLE: { meaning: 'a settings file cannot be read', internal: AT_START },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
