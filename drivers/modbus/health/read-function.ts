import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';

/** Support of function code 23 by a unit without function code 3; UNKNOWN: not asked, or no valid response. */
export type ReadWriteSupport = 'UNKNOWN' | 'YES' | 'WITH_REGISTER';

const CODES = {
  UNKNOWN: 'SCAN_READ_FUNCTION_UNKNOWN',
  YES: 'SCAN_READ_FUNCTION',
  WITH_REGISTER: 'SCAN_READ_FUNCTION_WITH_REGISTER',
} as const;

/** Describes a unit without function code 3, and the setting that it needs. */
export function adviseReadFunction(unit: number, support: ReadWriteSupport): FaultReason {
  return createReason(MODBUS_SCAN_SENTENCES, CODES[support], { unit });
}
