import { AT_START } from '../../base/error-codes.ts';
import type { DeclaredCode } from '../../base/error-codes.ts';

declare module '../../base/error-codes.ts' {
  interface ErrorCodeTables {
    readonly machine: typeof MACHINE_CODES;
  }
}

/** Error codes of the service and its ports. */
export const MACHINE_CODES = {
  METRICS_PORT_UNAVAILABLE: { meaning: 'the metrics port cannot be opened', internal: AT_START },
  RELOAD_FAILED: { meaning: 'the settings cannot be reloaded', internal: AT_START },
  RELOAD_UNANSWERED: { meaning: 'the daemon did not confirm the reload request', internal: AT_START },
} as const satisfies Readonly<Record<string, DeclaredCode>>;
