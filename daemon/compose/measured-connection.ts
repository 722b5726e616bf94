import type { ConfiguredConnection } from '../asset/asset-registry.ts';
import type { MeasuredConnection } from '../metrics/gateway-metrics.ts';

/** Gives what the metrics show of a connection. */
export function toMeasuredConnection({ config, connection }: ConfiguredConnection): MeasuredConnection {
  const { state, counters, units } = connection.status();
  return {
    driver: config.pid,
    isConnected: state === 'CONNECTED',
    counters,
    units: units.map((unit) => ({
      name: unit.name,
      isSuspended: unit.state === 'SUSPENDED',
      counters: unit.counters,
    })),
  };
}
