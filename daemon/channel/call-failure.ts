import type { ErrorCode } from '../base/error-codes.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';
import { toChannelFailure } from './driver-errors.ts';

/**
 * Returns the failure that a channel shows for an error of a call to its device.
 *
 * @param signal when it has aborted, the failure is DEADLINE_EXCEEDED
 * @throws `thrown` itself when it is no {GatewayError} and the signal has not aborted: it is a defect
 */
export function toFailure(thrown: unknown, signal: AbortSignal): ChannelFailure {
  if (signal.aborted) return { code: 'DEADLINE_EXCEEDED', message: messageOf(signal.reason) };
  if (thrown instanceof GatewayError) return toChannelFailure(thrown);
  throw thrown;
}

/**
 * Returns the failure of a write that may have been carried out.
 *
 * @param message why its outcome is not known
 */
export function createUnknownOutcome(code: ErrorCode, message: string): ChannelFailure {
  return { code, message: `${message}; outcome unknown` };
}
