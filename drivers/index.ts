import type { DriverFactory } from '../daemon/channel/driver.ts';

/** Every kind of driver that the gateway has. */
export function createDriverFactories(): readonly DriverFactory[] {
  return [];
}
