import type { Channel } from './channel.ts';
import type { Driver } from './driver.ts';

/** Access rights to a value, as the device reports them. */
export const DEVICE_ACCESSES = ['NONE', 'READ', 'WRITE', 'READ_WRITE'] as const;
export type DeviceAccess = (typeof DEVICE_ACCESSES)[number];

/** A driver whose devices report what they permit. */
export interface AccessReportingDriver<Address = unknown> extends Driver<Address> {
  /** Returns the access rights reported so far; does no I/O. */
  findDeviceAccess(channel: Channel<Address>): DeviceAccess | undefined;
  /**
   * Queries the device for access rights that are not yet known.
   *
   * @throws {ConnectionError} when the connection is lost; a device that reports nothing is no error
   */
  learnDeviceAccess(channels: readonly Channel<Address>[], signal: AbortSignal): Promise<void>;
}

/** True if the devices of the driver report what they permit. */
export function isReportingAccess(driver: Driver): driver is AccessReportingDriver {
  return 'findDeviceAccess' in driver;
}
