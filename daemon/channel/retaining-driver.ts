import type { Channel } from './channel.ts';
import type { Driver } from './driver.ts';

/** A driver that remembers something of what it was asked for. */
export interface RetainingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Forgets what serves none of these channels, all that are configured; called when others were removed or changed. Devices
   * without a channel are not asked any more and leave `unitStatus`.
   */
  retain(channels: readonly Channel<Address>[]): void;
}

/** Whether the driver forgets what is configured no more. */
export function isRetaining(driver: Driver): driver is RetainingDriver {
  return 'retain' in driver;
}
