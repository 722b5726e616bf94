import type { Channel } from './channel.ts';
import type { Driver } from './driver.ts';

/** What a device lets the gateway do with a value, by its own word. */
export const DEVICE_ACCESSES = ['NONE', 'READ', 'WRITE', 'READ_WRITE'] as const;
export type DeviceAccess = (typeof DEVICE_ACCESSES)[number];

/** A driver whose devices report what they permit. */
export interface AccessReportingDriver<Address = unknown> extends Driver<Address> {
  /** Returns what the device permits, as far as it has reported; does no I/O. */
  findDeviceAccess(channel: Channel<Address>): DeviceAccess | undefined;
  /**
   * Asks the device what it permits, as far as it was not asked before.
   *
   * @throws {ConnectionError} when the connection is lost; a device that does not tell is no error
   */
  learnDeviceAccess(channels: readonly Channel<Address>[], signal: AbortSignal): Promise<void>;
}

/** True if the devices of the driver report what they permit. */
export function isReportingAccess(driver: Driver): driver is AccessReportingDriver {
  return 'findDeviceAccess' in driver;
}
