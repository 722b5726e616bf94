import type { Driver } from './driver.ts';

/** A driver that finds out that a device needs a setting. */
export interface AdvisingDriver<Address = unknown> extends Driver<Address> {
  /** Whether the device was just connected and may answer soon, although it has not answered yet. */
  readonly isWarmingUp: boolean;
  /** Returns what was found out, in words that name the setting; empty when nothing was. */
  listAdvice(): readonly string[];
}

/** Whether the driver finds out what settings a device needs. */
export function isAdvising(driver: Driver): driver is AdvisingDriver {
  return 'listAdvice' in driver;
}
