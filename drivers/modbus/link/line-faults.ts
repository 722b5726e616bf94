import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';

/** Faults of what arrived on a serial line instead of a response. */
export const LINE_FAULTS = {
  neverSilent: createReason(MODBUS_FAILURES, 'LINE_NEVER_SILENT', {}),
  echoed: createReason(MODBUS_FAILURES, 'UNEXPECTED_ECHO', {}),
  notEchoed: createReason(MODBUS_FAILURES, 'ECHO_MISSING', {}),
  incomplete: createReason(MODBUS_FAILURES, 'RESPONSE_INCOMPLETE', {}),
  endless: createReason(MODBUS_FAILURES, 'LOST_AFTER_TOO_MANY_BYTES', {}),
} as const;

/** Returns the fault of bytes that are no response. */
export function explainBytes(
  code: 'NO_VALID_RESPONSE' | 'CHECKSUM_WRONG' | 'RECEIVED_BYTES',
  count: number,
): FaultReason {
  return createReason(MODBUS_FAILURES, code, { count });
}

/** Returns the fault of a frame of the unit that is no response. */
export function explainFrame([functionCode]: Uint8Array): FaultReason {
  return createReason(MODBUS_FAILURES, 'RECEIVED_FUNCTION', { received: String(functionCode) });
}
