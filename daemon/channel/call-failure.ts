import { describeReasons } from '../base/fault-reason.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { GatewayError, messageOf, reasonsOf } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';
import { toChannelFailure } from './driver-errors.ts';

/** Returns a failure that is made of sentences. */
export function createFailure<Code extends ErrorCode>(
  code: Code,
  ...reasons: readonly FaultReason[]
): ChannelFailure & { readonly code: Code } {
  return { code, message: describeReasons(reasons), reasons };
}

/**
 * Returns the channel failure for an error of a device call.
 *
 * @param signal when it has aborted, the failure is DEADLINE_EXCEEDED
 * @throws `thrown` itself when it is no {GatewayError} and the signal has not aborted: it is a defect
 */
export function toFailure(thrown: unknown, signal: AbortSignal): ChannelFailure {
  if (signal.aborted) {
    const reasons = reasonsOf(signal.reason);
    const failure = { code: 'DEADLINE_EXCEEDED', message: messageOf(signal.reason) } as const;
    return reasons === undefined ? failure : { ...failure, reasons };
  }
  if (thrown instanceof GatewayError) return toChannelFailure(thrown);
  throw thrown;
}

/**
 * Returns the failure of a write that may have been carried out.
 *
 * @param message reason for the unknown outcome
 */
export function createUnknownOutcome(code: ErrorCode, message: string): ChannelFailure {
  return { code, message: `${message}; outcome unknown` };
}
