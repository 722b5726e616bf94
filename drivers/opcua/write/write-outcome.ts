import { createUnknownOutcome } from '../../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import type { FailedWriteOutcome } from '../../../daemon/channel/write-outcome.ts';
import { toStatusFailure } from '../opcua-errors.ts';

/** Failure code of a write or call that was sent without a conclusive response. */
export const OUTCOME_UNKNOWN_CODE = 'OPCUA_WRITE_OUTCOME_UNKNOWN';

// StatusCodes by which a server reports that it forwarded the request to the device and does not know the outcome.
const OPEN_STATUSES: ReadonlySet<string> = new Set(['BadTimeout', 'BadCommunicationError']);

/** Reason why a write is not known to have succeeded. */
export interface WriteFault {
  readonly failure: ChannelFailure;
  readonly outcome: FailedWriteOutcome;
  /** See `WriteOutcome`. */
  readonly taken?: { readonly value?: undefined };
}

/** Returns the fault of a write that was sent without a conclusive response. */
export function createOpenFault(message: string): WriteFault {
  return { failure: createUnknownOutcome(OUTCOME_UNKNOWN_CODE, message), outcome: 'UNKNOWN' };
}

/** Returns the fault of a write for a bad StatusCode, given by its name. */
export function toStatusFault(status: string, message: string): WriteFault {
  return leavesOutcomeOpen(status)
    ? createOpenFault(message)
    : { failure: toStatusFailure(status, message), outcome: 'REFUSED' };
}

function leavesOutcomeOpen(status: string): boolean {
  return OPEN_STATUSES.has(status);
}
