import type { AssetRegistry, ConfiguredConnection } from '../asset/asset-registry.ts';
import { readVersion } from '../base/version.ts';
import type { BundleSupervisor } from '../bundle/bundle-supervisor.ts';
import type { BundleStatus } from '../bundle/supervised-bundle.ts';
import { createGatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { GatewayMetrics, MeasuredBundle, MeasuredConnection } from '../metrics/gateway-metrics.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { NetworkStatus } from './network-status.ts';

interface MetricsOptions {
  readonly registry: AssetRegistry;
  readonly bundles: BundleSupervisor;
  readonly sessions: Pick<SessionStore, 'count'>;
  readonly networkStatus: NetworkStatus;
}

/** Constructs the metrics, which read the parts of the gateway when they are asked for. */
export function composeMetrics({
  registry,
  bundles,
  sessions,
  networkStatus,
}: MetricsOptions): GatewayMetrics {
  return createGatewayMetrics({
    version: readVersion(),
    connections: () => registry.listConnections().map(toMeasuredConnection),
    bundles: () => bundles.list().map(toMeasuredBundle),
    openSessions: () => sessions.count(),
    certificateExpiresAtMs: () => networkStatus.certificateExpiresAtMs,
  });
}

function toMeasuredBundle({ bundle, state }: BundleStatus): MeasuredBundle {
  return { name: bundle.id.name, isActive: state === 'ACTIVE' };
}

function toMeasuredConnection({ config, connection }: ConfiguredConnection): MeasuredConnection {
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
