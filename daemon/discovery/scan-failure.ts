import { GatewayError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';

/** Why a scan failed, without what is for the log. */
export interface ScanFailure {
  readonly code: string;
  readonly message: string;
}

/** Returns what a client is told of a scan that failed; a defect of the gateway goes to the log. */
export function describeScanFailure(error: unknown, logger: Logger): ScanFailure {
  if (error instanceof GatewayError) return { code: error.code, message: error.detail };
  logger.error('scan.failed', { error });
  return { code: 'SCAN_FAILED', message: 'the scan failed' };
}
