import type { Channel } from './channel.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { Driver, WriteRequest } from './driver.ts';

/** What a device lets the gateway do with a value, by its own word. */
export const DEVICE_ACCESSES = ['NONE', 'READ', 'WRITE', 'READ_WRITE'] as const;
export type DeviceAccess = (typeof DEVICE_ACCESSES)[number];

/** A driver that knows of a write whether it would be sent, without sending it. */
export interface CheckingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Tells what `write` would not send, and why; reads where it has to, and changes nothing.
   *
   * @returns the failure of each request, in the same order; undefined: it would be sent
   * @throws {ConnectionError} as `write` does
   */
  checkWrites(
    requests: readonly WriteRequest<Address>[],
    signal: AbortSignal,
  ): Promise<readonly (ChannelFailure | undefined)[]>;
  /** Returns what the device permits, as far as it has told; does no I/O. Absent: devices of this kind tell nothing. */
  findDeviceAccess?(channel: Channel<Address>): DeviceAccess | undefined;
  /**
   * Asks the device what it permits, as far as it was not asked before.
   *
   * @throws {ConnectionError} when the connection is lost; a device that does not tell is no error
   */
  learnDeviceAccess?(channels: readonly Channel<Address>[], signal: AbortSignal): Promise<void>;
}

/** Whether the driver knows of a write whether it would be sent. */
export function isChecking(driver: Driver): driver is CheckingDriver {
  return 'checkWrites' in driver;
}
