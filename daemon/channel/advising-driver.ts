import type { Driver } from './driver.ts';

/** A driver that detects settings that a device needs. */
export interface AdvisingDriver<Address = unknown> extends Driver<Address> {
  /** True if the device was just connected and may respond soon. */
  readonly isWarmingUp: boolean;
  /** Returns the advice, which names the setting; empty if none. */
  listAdvice(): readonly string[];
}

/** True if the driver detects settings that a device needs. */
export function isAdvising(driver: Driver): driver is AdvisingDriver {
  return 'listAdvice' in driver;
}
