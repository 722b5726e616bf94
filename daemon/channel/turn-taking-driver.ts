import type { Channel } from './channel.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { Driver, Reading, WriteOutcome, WriteRequest } from './driver.ts';

/** One write that depends on values behind the same connection. */
export interface ConditionalWrite<Address = unknown> extends WriteRequest<Address> {
  /** Channels that are read right before. */
  readonly conditions: readonly Channel<Address>[];
  /**
   * Judges their readings, one per channel in their order; called at most once, and if it agrees, the value is sent next.
   *
   * @returns why the value is not sent; undefined when it is
   */
  readonly judge: (readings: readonly Reading[]) => ChannelFailure | undefined;
}

/** A driver that reads and writes in one turn on its line. */
export interface TurnTakingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Reads the conditions, and writes if they hold; no other write of this connection is sent in between.
   *
   * @throws {ConnectionError} when the link was down before the value was sent
   */
  writeIf(write: ConditionalWrite<Address>, signal: AbortSignal): Promise<WriteOutcome>;
}

/** Whether the driver reads and writes in one turn on its line. */
export function isTurnTaking(driver: Driver): driver is TurnTakingDriver {
  return 'writeIf' in driver;
}
