import type { Clock } from '../base/clock.ts';
import type { ListedProvider } from '../software/bridge/provider-registry.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import type { ExportStatus } from '../security/audit/event-exporter.ts';
import type { Asset } from '../plant/asset/asset.ts';
import type { AssetRegistry, ConfiguredConnection } from '../plant/asset/asset-registry.ts';
import type { BackupRecord } from '../base/store/backup-record.ts';
import { readDaemonStatus } from '../base/process/daemon-status-file.ts';
import type { DaemonStatus } from '../base/process/daemon-status-file.ts';
import { readVersion } from '../base/version.ts';
import type { MeasuredBundle } from '../machine/metrics/bundle-metrics.ts';
import type { BundleStatus } from '../software/bundle/supervised-bundle.ts';
import type { SeenCertificates } from '../server/http/connection/seen-certificates.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import { createGatewayMetrics } from '../machine/metrics/gateway-metrics.ts';
import type {
  GatewayMetrics,
  MeasuredAsset,
  MeasuredConnection,
  MeasuredExport,
  MeasuredProvider,
} from '../machine/metrics/gateway-metrics.ts';
import type { MeasuredMachine } from '../machine/metrics/machine-metrics.ts';
import type { FindClockSynchronization } from '../machine/service/clock-synchronization.ts';
import type { SessionStore } from '../security/session/session-store.ts';
import type { Bundles } from './bundles.ts';
import type { NetworkStatus } from './network-status.ts';
import type { Recording } from './recording/recording.ts';
import { findRoom } from './status.ts';

interface MetricsOptions {
  readonly clock: Clock;
  readonly registry: AssetRegistry;
  readonly bundles: Bundles;
  readonly sessions: Pick<SessionStore, 'count'>;
  readonly networkStatus: NetworkStatus;
  readonly audit: Pick<AuditLog, 'status'>;
  readonly auditExports: () => readonly ExportStatus[];
  readonly recording: Pick<Recording, 'status'>;
  readonly dataDirectory: string;
  readonly backups: Pick<BackupRecord, 'read'>;
  readonly isClockSynchronized: FindClockSynchronization;
  readonly seenCertificates: SeenCertificates;
  readonly identities: Pick<IdentityStore, 'find'>;
}

/** Constructs the metrics, which read the components at collection. */
export function composeMetrics({
  clock,
  registry,
  bundles,
  sessions,
  networkStatus,
  audit,
  auditExports,
  recording,
  dataDirectory,
  backups,
  isClockSynchronized,
  seenCertificates,
  identities,
}: MetricsOptions): GatewayMetrics {
  return createGatewayMetrics({
    clock,
    version: readVersion(),
    *connections() {
      for (const connection of registry.listConnections()) yield toMeasuredConnection(connection);
    },
    *assets() {
      for (const asset of registry.list()) yield toMeasuredAsset(asset);
    },
    bundles: () => bundles.supervisor.list().map(toMeasuredBundle),
    providers: () => bundles.providers.list().map(toMeasuredProvider),
    openSessions: () => sessions.count(),
    certificateExpiresAtMs: () => networkStatus.certificateExpiresAtMs,
    audit: () => {
      const { breaks, waitingEvents, lostEvents } = audit.status();
      return { breaks: breaks.length, waitingEvents, lostEvents };
    },
    auditExports: () => auditExports().map(toMeasuredExport),
    recording: () => recording.status(),
    lookAtMachine: async () => ({
      reload: toMeasuredReload(await readDaemonStatus(dataDirectory)),
      disk: await findRoom(dataDirectory),
      isClockSynchronized: await isClockSynchronized(),
      newestBackupMs: await backups.read(),
    }),
    clientCertificates: () => seenCertificates.list((name) => identities.find(name) !== undefined),
  });
}

/** A start applies the files as a reload does. */
function toMeasuredReload(status: DaemonStatus | undefined): MeasuredMachine['reload'] {
  if (status === undefined || !['SERVING', 'RELOADED', 'RELOAD_FAILED'].includes(status.state))
    return undefined;
  return { isSuccessful: status.state !== 'RELOAD_FAILED', timeMs: status.timeMs };
}

function toMeasuredBundle({ bundle, state, storage, report }: BundleStatus): MeasuredBundle {
  return {
    name: bundle.id.name,
    isActive: state === 'ACTIVE',
    storedBytes: storage?.bytes,
    report: report && { isOk: report.state === 'OK', counters: report.counters },
  };
}

function toMeasuredExport({ place, state, ...others }: ExportStatus): MeasuredExport {
  return { ...others, place, isTaking: state === 'UNKNOWN' ? undefined : state === 'TAKING' };
}

function toMeasuredProvider({ bundle, provider, state, timeouts }: ListedProvider): MeasuredProvider {
  return { bundle: bundle.name, provider, isSuspended: state === 'SUSPENDED', silences: timeouts };
}

function toMeasuredAsset(asset: Asset): MeasuredAsset {
  return { asset: asset.config.pid, failingChannels: asset.listFailing().length };
}

function toMeasuredConnection({ config, connection }: ConfiguredConnection): MeasuredConnection {
  const { state, counters, units, lastError } = connection.status();
  // A driver connects with the first request for a value.
  const wasTried = lastError !== undefined || (counters['connects'] ?? 0) > 0;
  return {
    driver: config.pid,
    isConnected: wasTried ? state === 'CONNECTED' : undefined,
    counters,
    units: units.map((unit) => ({
      name: unit.name,
      isSuspended: unit.state === 'SUSPENDED',
      counters: unit.counters,
    })),
  };
}
