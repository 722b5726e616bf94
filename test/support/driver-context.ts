import { systemClock } from '../../daemon/base/clock.ts';
import type { DriverContext } from '../../daemon/channel/driver.ts';
import { createMemoryLogger } from './memory-logger.ts';

/** What a driver may use of the gateway, for a driver that stands alone; nothing is kept on disk unless told where. */
export function createDriverContext(given: Partial<DriverContext> = {}): DriverContext {
  return {
    logger: createMemoryLogger(),
    clock: systemClock,
    random: () => 0.5,
    dataDirectory: '/nonexistent',
    onUnitChange: () => undefined,
    ...given,
  };
}
