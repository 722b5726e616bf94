import { createUnknownOutcome } from '../../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import type { FailedWriteOutcome } from '../../../daemon/channel/write-outcome.ts';
import { toStatusFailure } from '../opcua-errors.ts';

/** Code of a write or a call that was sent, and of which no answer tells what it did. */
export const OUTCOME_UNKNOWN_CODE = 'OPCUA_WRITE_OUTCOME_UNKNOWN';

// With these a server reports that it asked the device beneath and does not know the outcome.
const OPEN_STATUSES: ReadonlySet<string> = new Set(['BadTimeout', 'BadCommunicationError']);

/** Why a write is not done for certain. */
export interface WriteFault {
  readonly failure: ChannelFailure;
  readonly outcome: FailedWriteOutcome;
  /** See `WriteOutcome`. */
  readonly taken?: { readonly value?: undefined };
}

/** Returns the fault of a write that was sent, and of which nothing tells what it did. */
export function createOpenFault(message: string): WriteFault {
  return { failure: createUnknownOutcome(OUTCOME_UNKNOWN_CODE, message), outcome: 'UNKNOWN' };
}

/** Returns the fault of a write that the server answers with a bad StatusCode, given by its name. */
export function toStatusFault(status: string, message: string): WriteFault {
  return leavesOutcomeOpen(status)
    ? createOpenFault(message)
    : { failure: toStatusFailure(status, message), outcome: 'REFUSED' };
}

function leavesOutcomeOpen(status: string): boolean {
  return OPEN_STATUSES.has(status);
}
