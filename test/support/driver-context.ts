import { systemClock } from '../../daemon/base/clock.ts';
import type { DriverContext } from '../../daemon/channel/driver.ts';
import { createMemoryLogger } from './memory-logger.ts';

/** The parts of the gateway that a driver may use, for a driver alone; nothing is kept on disk unless a path is given. */
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
