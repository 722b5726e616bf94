import { GatewayError, messageOf } from '../../daemon/base/errors.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { toChannelFailure } from '../../daemon/channel/driver-errors.ts';

/**
 * Gives the failure that a channel shows for what was thrown.
 *
 * @param signal when it has aborted, the failure is DEADLINE_EXCEEDED
 */
export function toFailure(thrown: unknown, signal: AbortSignal): ChannelFailure {
  if (signal.aborted) return { code: 'DEADLINE_EXCEEDED', message: messageOf(signal.reason) };
  if (thrown instanceof GatewayError) return toChannelFailure(thrown);
  throw thrown;
}
