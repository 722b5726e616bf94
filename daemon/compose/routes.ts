import type { AssetAccess } from '../plant/access/asset-access.ts';
import type { AssetRegistry } from '../plant/asset/asset-registry.ts';
import { LineTraces } from '../plant/asset/connection/line-traces.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import type { ExportStatus } from '../security/audit/event-exporter.ts';
import type { BackupRecord } from '../base/store/backup-record.ts';
import type { StoreCopier } from '../base/store/store-copy.ts';
import type { Clock } from '../base/clock.ts';
import type { RandomSource } from '../base/random.ts';
import type { LogBuffer } from '../base/log-buffer.ts';
import type { Logger } from '../base/logger.ts';
import { readVersion } from '../base/version.ts';
import { listSecrets } from '../configuration/store/list-secrets.ts';
import type { ConfigurationStore } from '../configuration/store/configuration-store.ts';
import type { ProvisionDrift } from '../configuration/provision/provision-drift.ts';
import type { BackgroundScans } from '../plant/discovery/background-scans.ts';
import type { Scans } from '../plant/discovery/scans.ts';
import type { TrialReads } from '../plant/discovery/trial-reads.ts';
import type { EventLog } from '../server/event/event-log.ts';
import type { Route } from '../server/http/route.ts';
import type { DefinedPermissions } from '../security/identity/defined-permissions.ts';
import { TlsKeyStore } from '../security/certificate/tls-key-store.ts';
import { PermissionAdministration } from '../security/identity/permission-administration.ts';
import { ADMIN_PERMISSION } from '../security/identity/permission.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import { createAssetRoutes } from '../server/rest/plant/asset-routes.ts';
import { createAssetSearchRoutes } from '../server/rest/plant/asset-search-routes.ts';
import { createAssetStatusRoutes } from '../server/rest/plant/asset-status-routes.ts';
import { createAuditRoutes } from '../server/rest/security/audit-routes.ts';
import { createBackupRoutes } from '../server/rest/configuration/backup-routes.ts';
import { createCertificateRoutes } from '../server/rest/security/certificate-routes.ts';
import { createBrowseRoutes } from '../server/rest/plant/browse-routes.ts';
import { createBundleRoutes } from '../server/rest/software/bundle-routes.ts';
import { createCommissioningRoutes, createTrialRoutes } from '../server/rest/plant/commissioning-routes.ts';
import { createConfigurationRoutes } from '../server/rest/configuration/configuration-routes.ts';
import { createDeploymentRoutes } from '../server/rest/software/deployment-routes.ts';
import { createDescriptionRoutes } from '../server/rest/description-routes.ts';
import { createDriftRoutes } from '../server/rest/configuration/drift-routes.ts';
import { createDriverRoutes } from '../server/rest/plant/driver-routes.ts';
import { createEventRoutes } from '../server/rest/plant/event-routes.ts';
import { createHistoryRoutes } from '../server/rest/plant/history-routes.ts';
import { createKuraIdentityRoutes } from '../server/rest/kura/identity-routes.ts';
import { createKuraInventoryRoutes } from '../server/rest/kura/inventory-routes.ts';
import { createKuraKeyStoreRoutes } from '../server/rest/kura/keystore-routes.ts';
import { createKuraSystemRoutes } from '../server/rest/kura/system-routes.ts';
import { listDebianPackages } from '../machine/system/debian-packages.ts';
import { readSystemProperties } from '../machine/system/system-properties.ts';
import { createIdentityRoutes } from '../server/rest/security/identity-routes.ts';
import { createBackgroundScanRoutes } from '../server/rest/plant/background-scan-routes.ts';
import { createListenRoutes } from '../server/rest/plant/listen-routes.ts';
import { createRecordRenderer } from '../server/rest/plant/record-json.ts';
import { createScanRoutes } from '../server/rest/plant/scan-routes.ts';
import { createPersonalSettingsRoutes } from '../server/rest/security/personal-settings-routes.ts';
import { createSecondFactorRoutes } from '../server/rest/security/second-factor-routes.ts';
import {
  createSessionRoutes,
  createSessionAdministrationRoutes,
} from '../server/rest/security/session-routes.ts';
import { createStatusRoutes, createHealthRoutes } from '../server/rest/status-routes.ts';
import { createSupportRoutes } from '../server/rest/support-routes.ts';
import { createTagSheetRoutes } from '../server/rest/plant/tag-sheet-routes.ts';
import { createTemplateRoutes } from '../server/rest/plant/template-routes.ts';
import { createTokenRoutes, createTokenAdministrationRoutes } from '../server/rest/security/token-routes.ts';
import { createTraceRoutes } from '../server/rest/plant/trace-routes.ts';
import { createTrustRoutes } from '../server/rest/plant/trust-routes.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import type { TemplateLibrary } from '../plant/template/template-library.ts';
import type { Access } from './access.ts';
import type { Bundles } from './bundles.ts';
import type { ConfigurationApplier } from '../configuration/configuration-applier.ts';
import type { Deployment } from './deployment.ts';
import type { LoadedFiles } from '../settings/loaded-files.ts';
import type { NetworkStatus } from './network-status.ts';
import { createProvisionPruner } from './provision-pruner.ts';
import type { Recording } from './recording/recording.ts';
import type { ReadinessState } from './readiness-state.ts';
import { composeStatus } from './status.ts';
import type { StaticSettings } from './static-settings.ts';
import type { Tokens } from './tokens.ts';

interface RouteOptions {
  readonly logBuffer: LogBuffer;
  readonly registry: AssetRegistry;
  readonly scans: Scans;
  readonly trials: TrialReads;
  readonly backgroundScans: BackgroundScans;
  readonly assetAccess: AssetAccess;
  readonly configuration: ConfigurationStore;
  readonly applier: ConfigurationApplier;
  readonly drift: ProvisionDrift;
  readonly templates: TemplateLibrary;
  readonly identities: IdentityStore;
  readonly definedPermissions: DefinedPermissions;
  readonly access: Access;
  readonly tokens: Tokens;
  readonly bundles: Bundles;
  readonly deployment: Deployment;
  readonly events: EventLog;
  readonly audit: AuditLog;
  readonly auditPublicKey: string;
  readonly auditExports: () => readonly ExportStatus[];
  readonly recording: Recording;
  readonly files: LoadedFiles;
  readonly storeCopier: StoreCopier;
  readonly backups: BackupRecord;
  readonly readiness: ReadinessState;
  readonly networkStatus: NetworkStatus;
  readonly dataDirectory: string;
  readonly settings: Pick<StaticSettings, 'current' | 'writeDeadlineMs'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Constructs every endpoint. Requests are matched in this order, so the most frequent come first. */
export function composeRoutes(options: RouteOptions): readonly Route[] {
  const { registry, assetAccess, configuration, applier, drift, identities, access, tokens, bundles } =
    options;
  const {
    deployment,
    templates,
    events,
    audit,
    auditPublicKey,
    storeCopier,
    backups,
    readiness,
    networkStatus,
  } = options;
  const { scans, trials, backgroundScans, recording, settings, logger, clock, random } = options;
  const routes: Route[] = [];
  const listRoutes = (): readonly Route[] => routes;
  const renderRecords = createRecordRenderer();
  const writeDeadlineMs = (): number => settings.writeDeadlineMs;
  const rest = (): RestSettings => configuration.current().rest;
  const { administration } = access;
  const permissions = new PermissionAdministration({
    identities,
    defined: options.definedPermissions,
    builtIn: () => listPermissions(routes),
  });
  const prune = createProvisionPruner({ drift, applier, administration, audit });
  routes.push(
    // Before those of assets, whose pids match any name.
    ...createListenRoutes(assetAccess, renderRecords),
    ...createAssetStatusRoutes({ access: assetAccess, registry, clock }),
    ...createAssetSearchRoutes(assetAccess, clock),
    ...createAssetRoutes({ access: assetAccess, renderRecords, rest, writeDeadlineMs, clock }),
    ...createHistoryRoutes({
      access: assetAccess,
      history: () => recording.open?.history,
      listRecorders: async () => (await recording.open?.listRecorded()) ?? [],
      listConsumers: () => recording.open?.listConsumers() ?? [],
      logger,
      clock,
    }),
    ...createCommissioningRoutes(assetAccess, clock),
    ...createDriverRoutes({ registry, access: assetAccess, clock }),
    ...createBrowseRoutes(registry),
    ...createTraceRoutes(registry, new LineTraces(clock, random)),
    ...createTrustRoutes(registry, clock),
    ...createTrialRoutes(trials, { renderRecords, clock }),
    ...createScanRoutes({ scans, logger, clock }),
    ...createBackgroundScanRoutes({ scans, backgroundScans, identities, configuration }),
    ...createSessionRoutes({
      ...access,
      rest,
      banners: () => configuration.current().banners,
      clock,
      clientCertificatePorts: () => networkStatus.clientCertificatePorts,
    }),
    ...createSessionAdministrationRoutes(access.sessionAdministration),
    ...createPersonalSettingsRoutes(access.personalSettings),
    ...createSecondFactorRoutes(access),
    ...createTokenRoutes({ ...tokens, identities, settings: () => configuration.current() }),
    ...createTokenAdministrationRoutes(tokens.tokenAdministration),
    ...createIdentityRoutes({
      ...access,
      rest,
      identities,
      passwordStrength: () => configuration.current().passwordStrength,
      permissions,
      clock,
    }),
    ...createKuraIdentityRoutes({
      administration,
      identities,
      permissions,
      passwordStrength: () => configuration.current().passwordStrength,
      clock,
    }),
    // Before those of sections, whose names match any path.
    ...createTemplateRoutes(templates),
    ...createDriftRoutes({ drift, prune, clock }),
    ...createConfigurationRoutes({ configuration, applier, clock }),
    ...createTagSheetRoutes({ configuration, applier, clock }),
    // Before those of packages, whose names match any path.
    ...createBundleRoutes({
      bundles: bundles.supervisor,
      providers: bundles.providers,
      packages: deployment.admin,
    }),
    ...createDeploymentRoutes({ ...deployment, clock }),
    ...createEventRoutes(events),
    ...createAuditRoutes({ audit, publicKey: auditPublicKey, clock }),
    ...createBackupRoutes({
      store: storeCopier,
      copyRecording: (signal) => recording.copy(signal),
      backups,
      clock,
    }),
    ...createCertificateRoutes(),
    ...createKuraInventoryRoutes({ packages: deployment.admin, listDebianPackages }),
    ...createKuraKeyStoreRoutes(new TlsKeyStore(() => networkStatus.material)),
    ...createKuraSystemRoutes({
      readSystem: readSystemProperties,
      version: readVersion(),
      hasConsole: () => settings.current.console.enabled,
      maximumPackageBytes: () => settings.current.deployment.maximumPackageBytes,
    }),
    ...createStatusRoutes(composeStatus({ ...options, bundles: bundles.supervisor })),
    ...createSupportRoutes({
      log: options.logBuffer,
      listSecrets: () => listSecrets(configuration, clock),
      routes: listRoutes,
      version: readVersion(),
      clock,
    }),
    ...createHealthRoutes(() => readiness.current),
    ...createDescriptionRoutes({ routes: listRoutes, version: readVersion(), clock }),
  );
  return routes;
}

/** Returns the permission of each endpoint and the one that implies all. */
function listPermissions(routes: readonly Pick<Route, 'access'>[]): readonly string[] {
  const permissions = routes.map(({ access }) => access).filter((access) => access.startsWith('rest.'));
  return [...new Set([ADMIN_PERMISSION, ...permissions])];
}
