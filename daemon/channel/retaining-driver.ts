import type { Channel } from './channel.ts';
import type { Driver } from './driver.ts';

/** A driver that retains state per device. */
export interface RetainingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Drops state that serves none of these channels, which are all configured ones; called after others were removed or changed. Devices
   * without a channel are no longer polled and leave `unitStatus`.
   */
  retain(channels: readonly Channel<Address>[]): void;
}

/** True if the driver drops state that is no longer configured. */
export function isRetaining(driver: Driver): driver is RetainingDriver {
  return 'retain' in driver;
}
