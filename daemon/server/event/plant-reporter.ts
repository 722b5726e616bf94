import type { PlantChange } from '../../plant/asset/asset-registry.ts';
import type { ConnectionStatus } from '../../plant/asset/connection/connection-status.ts';
import type { UnitStatus } from '../../channel/driver.ts';
import { showCodes } from '../../base/fault-reason.ts';
import type { ConnectionStateEvent, UnitStateEvent } from './gateway-event.ts';

const NEWS: Readonly<Partial<Record<ConnectionStatus['state'], ConnectionStateEvent['state']>>> = {
  CONNECTED: 'UP',
  BACKING_OFF: 'DOWN',
};

/** Publishes the changes of connections and devices that are news. */
export interface PlantReporter {
  /** Publishes a change if it is news. */
  note(change: PlantChange): void;
  /** Forgets connections that are no longer configured. */
  keepOnly(drivers: readonly string[]): void;
}

/**
 * Creates a reporter without any connection.
 *
 * A connection that fails alternates between attempts and pauses: one event reports that it is down and one that it is up
 * again. A connection that is closed because it is idle is not down.
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
      const reason = state === 'DOWN' ? toCause(status) : {};
      const { counters } = status;
      publish({ type: 'CONNECTION_STATE', driver, endpoint, state, ...reason, counters });
    },
    keepOnly(drivers) {
      for (const driver of states.keys()) if (!drivers.includes(driver)) states.delete(driver);
    },
  };
}

function toUnitEvent(status: UnitStatus): Omit<UnitStateEvent, 'type' | 'driver' | 'endpoint'> | undefined {
  const { name, state, nextProbeAtMs } = status;
  if (state === 'SUSPENDED') return { unit: name, state, ...toCause(status), nextProbeAt: nextProbeAtMs };
  return state === 'ANSWERING' ? { unit: name, state } : undefined;
}

function toCause({
  lastError,
  lastErrorCode,
  lastErrorReasons,
}: Pick<UnitStatus, 'lastError' | 'lastErrorCode' | 'lastErrorReasons'>): Pick<
  UnitStateEvent,
  'cause' | 'causeCode' | 'causeReasons'
> {
  const causeReasons = showCodes(lastErrorReasons);
  return { cause: lastError, causeCode: lastErrorCode, ...(causeReasons && { causeReasons }) };
}
