import type { PlantChange } from '../asset/asset-registry.ts';
import type { ConnectionState } from '../asset/driver-connection.ts';
import type { UnitStatus } from '../channel/driver.ts';
import type { ConnectionStateEvent, UnitStateEvent } from './gateway-event.ts';

const NEWS: Readonly<Partial<Record<ConnectionState, ConnectionStateEvent['state']>>> = {
  CONNECTED: 'UP',
  BACKING_OFF: 'DOWN',
};

/** Takes what happens to connections and devices, and publishes what of it is news. */
interface PlantReporter {
  note(change: PlantChange): void;
  /** Forgets connections that are no longer configured. */
  keepOnly(drivers: readonly string[]): void;
}

/**
 * Makes a reporter that has seen nothing yet.
 *
 * A connection that fails goes to and fro between attempts and pauses: one event says that it is down and one that it is
 * up again. One that is closed because nobody used it is not down.
 */
export function createPlantReporter(
  publish: (event: ConnectionStateEvent | UnitStateEvent) => void,
): PlantReporter {
  const states = new Map<string, ConnectionStateEvent['state']>();
  return {
    note({ driver, endpoint, status, unit }) {
      if (unit !== undefined) {
        const event = toUnitEvent(unit);
        if (event !== undefined) publish({ type: 'UNIT_STATE', driver, endpoint, ...event });
        return;
      }
      const state = NEWS[status.state];
      if (state === undefined || states.get(driver) === state) return;
      states.set(driver, state);
      const cause = state === 'DOWN' ? status.lastError : undefined;
      publish({ type: 'CONNECTION_STATE', driver, endpoint, state, cause, counters: status.counters });
    },
    keepOnly(drivers) {
      for (const driver of states.keys()) if (!drivers.includes(driver)) states.delete(driver);
    },
  };
}

function toUnitEvent({
  name,
  state,
  lastError,
  nextProbeAtMs,
}: UnitStatus): Pick<UnitStateEvent, 'unit' | 'state' | 'cause' | 'nextProbeAt'> | undefined {
  if (state === 'SUSPENDED') return { unit: name, state, cause: lastError, nextProbeAt: nextProbeAtMs };
  return state === 'ANSWERING' ? { unit: name, state } : undefined;
}
