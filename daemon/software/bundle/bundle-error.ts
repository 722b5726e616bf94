import type { FaultReason } from '../../base/fault-reason.ts';
import { GatewayError } from '../../base/errors.ts';

/** Codes of the errors of bundles. */
const BUNDLE_ERROR_CODES = [
  'BUNDLE_NOT_STARTABLE',
  'BUNDLE_PERMISSIONS_INVALID',
  'BUNDLE_SETTINGS_INVALID',
  'BUNDLE_INTERFACE_UNSUPPORTED',
  'BUNDLE_DEVICE_UNSUITABLE',
  'BUNDLE_DIRECTORY_UNSAFE',
  'BUNDLE_NOT_LAUNCHED',
  'BUNDLE_DEVICE_CHANGED',
  'BUNDLE_ACTIVATION_FAILED',
  'BUNDLE_UNRESPONSIVE',
  'BUNDLE_MEMORY_EXCEEDED',
  'BUNDLE_STORAGE_EXCEEDED',
  'BUNDLE_PROTOCOL_VIOLATED',
  'BUNDLE_ENDED',
  'BUNDLE_STOPPED',
  'BUNDLE_CALL_TIMEOUT',
  'BUNDLE_CALL_CANCELLED',
  'BUNDLE_CALL_FAILED',
  'BUNDLE_OVERLOADED',
] as const;
export type BundleErrorCode = (typeof BUNDLE_ERROR_CODES)[number];

/** The bundle does not run, or a call to it failed. */
export class BundleError extends GatewayError {
  constructor(code: BundleErrorCode, detail: string, cause?: unknown, reasons?: readonly FaultReason[]) {
    super({ code, detail, cause, reasons });
  }
}
