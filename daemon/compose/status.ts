import type { AssetAccess } from '../plant/access/asset-access.ts';
import type { AssetRegistry } from '../plant/asset/asset-registry.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import type { ExportStatus } from '../security/audit/event-exporter.ts';
import type { Clock } from '../base/clock.ts';
import { measureDisk } from '../base/file/disk-space.ts';
import { readDaemonStatus } from '../base/process/daemon-status-file.ts';
import type { BundleSupervisor } from '../software/bundle/bundle-supervisor.ts';
import type { Principal } from '../security/identity/identity.ts';
import type { CheckedGateway, TrustedCertificate } from '../server/rest/gateway-checks.ts';
import type { LoadedFiles } from '../settings/loaded-files.ts';
import type { Recording } from './recording/recording.ts';
import type { NetworkStatus } from './network-status.ts';

interface StatusOptions {
  readonly dataDirectory: string;
  readonly registry: Pick<AssetRegistry, 'listConnections'>;
  readonly assetAccess: Pick<AssetAccess, 'listFailing'>;
  readonly bundles: Pick<BundleSupervisor, 'list'>;
  readonly networkStatus: NetworkStatus;
  readonly audit: Pick<AuditLog, 'status'>;
  readonly auditExports: () => readonly ExportStatus[];
  readonly recording: Pick<Recording, 'status'>;
  readonly files: Pick<LoadedFiles, 'listChanged'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** Constructs the status of the gateway, which is gathered on request. */
export function composeStatus(options: StatusOptions) {
  const { dataDirectory, registry, assetAccess, bundles, networkStatus } = options;
  const { audit, auditExports, recording, files, clock } = options;
  const certificates = (): readonly TrustedCertificate[] => networkStatus.listCertificates(clock.epochMs());
  return {
    certificates,
    revocationLists: () => networkStatus.revocationLists,
    gather: async (caller: Principal): Promise<CheckedGateway> => ({
      nowMs: clock.epochMs(),
      disk: await findRoom(dataDirectory),
      daemonStatus: await readDaemonStatus(dataDirectory),
      changedFiles: await files.listChanged(),
      certificates: certificates(),
      connections: registry.listConnections().map(({ config, connection }) => ({
        pid: config.pid,
        status: connection.status(),
        unreadableSecrets: config.unreadableSecrets,
      })),
      failing: assetAccess.listFailing(caller),
      bundles: bundles.list(),
      audit: audit.status(),
      auditExports: auditExports(),
      recording: recording.status(),
    }),
  };
}

/** Returns the disk space of a directory; undefined if unknown. */
export async function findRoom(directory: string): Promise<CheckedGateway['disk']> {
  try {
    return await measureDisk(directory);
  } catch {
    return undefined;
  }
}
