import { AT_START } from '../base/error-codes.ts';
import type { DeclaredCode } from '../base/error-codes.ts';

declare module '../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly settings: typeof SETTINGS_CODES;
  }
}

/** Error codes of settings and the configuration. */
export const SETTINGS_CODES = {
  CONFIGURATION_INVALID: {
    status: 400,
    meaning: 'the configuration has errors',
    remedy: 'correct what `faults` lists',
  },
  CONFIGURATION_STALE: {
    status: 412,
    meaning: 'the configuration changed since it was read',
    remedy: 'read it again and repeat the change',
  },
  CONFIRMATION_NOT_PENDING: { status: 409, meaning: 'no change is pending confirmation', remedy: 'nothing' },
  CONFIRMATION_OF_ANOTHER: {
    status: 409,
    meaning: 'the pending change is not the one you named',
    remedy: 'read the pending change: `GET /_confirm`',
  },
  CONFIRMATION_PENDING: {
    status: 409,
    meaning: 'another change is pending confirmation',
    remedy: 'confirm it, or wait until it is reverted',
  },
  ITEM_NOT_AN_OBJECT: {
    status: 400,
    meaning: 'an item of the configuration must be an object',
    remedy: 'send an object',
  },
  ITEM_UNKNOWN: { status: 404, meaning: 'no item of the section has this `pid`', remedy: 'list the section' },
  PID_MISMATCH: {
    status: 400,
    meaning: 'the `pid` in the body differs from that in the path',
    remedy: 'make them equal',
  },
  SECTION_UNKNOWN: {
    status: 404,
    meaning: 'the configuration has no such section',
    remedy: 'see [Configuration](configuration.md)',
  },
  SECTION_WITHOUT_ITEMS: { status: 404, meaning: 'the section has no items', remedy: 'change it as a whole' },
  SNAPSHOT_INVALID: {
    status: 400,
    meaning: 'the stored configuration has errors',
    remedy: 'see the message',
  },
  SNAPSHOT_UNKNOWN: { status: 404, meaning: 'no snapshot has this number', remedy: 'list the snapshots' },
  YAML_INVALID: {
    status: 400,
    meaning: 'the YAML has an error',
    remedy: 'correct it at the line that the message names',
  },
  YAML_QUEUE_FULL: {
    status: 503,
    meaning: 'too many long YAML texts are queued',
    remedy: 'repeat after `Retry-After`',
  },
  SETTINGS_INVALID: { meaning: 'a settings file has errors', internal: AT_START },
  SETTINGS_UNREADABLE: { meaning: 'a settings file cannot be read', internal: AT_START },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
