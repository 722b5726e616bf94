import { GatewayError } from '../base/errors.ts';
import type { ChannelFailure } from './channel-record.ts';

/** A write that waits for its turn. */
interface WaitingWrite {
  readonly findWithdrawal?: (() => ChannelFailure | undefined) | undefined;
}

/** A write is no longer to be sent, now that its turn has come; nothing was sent. */
export class WriteWithdrawn extends GatewayError {
  /** @param failure what the channel shows */
  constructor({ code, message }: ChannelFailure) {
    super({ code, detail: message });
  }
}

/**
 * Asks writes that go out together, in their turn and right before they are sent.
 *
 * @throws {WriteWithdrawn} when one of them is no longer to be sent
 */
export function throwIfWithdrawn(writes: readonly WaitingWrite[]): void {
  for (const { findWithdrawal } of writes) {
    const failure = findWithdrawal?.();
    if (failure !== undefined) throw new WriteWithdrawn(failure);
  }
}
