import type { AssetAccess } from '../plant/access/asset-access.ts';
import type { AssetRegistry } from '../plant/asset/asset-registry.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import type { ExportStatus } from '../security/audit/event-exporter.ts';
import type { BackupRecord } from '../base/backup-record.ts';
import type { StoreCopier } from '../base/store-copy.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { readVersion } from '../base/version.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { ProvisionDrift } from '../configuration/provision-drift.ts';
import type { KeptScans } from '../plant/discovery/kept-scans.ts';
import type { Scans } from '../plant/discovery/scans.ts';
import type { EventLog } from '../server/event/event-log.ts';
import type { Route } from '../server/http/route.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import { createAssetRoutes } from '../server/rest/asset-routes.ts';
import { createAssetStatusRoutes } from '../server/rest/asset-status-routes.ts';
import { createAuditRoutes } from '../server/rest/audit-routes.ts';
import { createBackupRoutes } from '../server/rest/backup-routes.ts';
import { createCertificateRoutes } from '../server/rest/certificate-routes.ts';
import { createBrowseRoutes } from '../server/rest/browse-routes.ts';
import { createBundleRoutes } from '../server/rest/bundle-routes.ts';
import { createCommissioningRoutes } from '../server/rest/commissioning-routes.ts';
import { createConfigurationRoutes } from '../server/rest/configuration-routes.ts';
import { createDeploymentRoutes } from '../server/rest/deployment-routes.ts';
import { createDescriptionRoutes } from '../server/rest/description-routes.ts';
import { createDriftRoutes } from '../server/rest/drift-routes.ts';
import { createDriverRoutes } from '../server/rest/driver-routes.ts';
import { createEventRoutes } from '../server/rest/event-routes.ts';
import { createIdentityRoutes } from '../server/rest/identity-routes.ts';
import { createKeptScanRoutes } from '../server/rest/kept-scan-routes.ts';
import { createListenRoutes } from '../server/rest/listen-routes.ts';
import { createRecordRenderer } from '../server/rest/record-json.ts';
import { createScanRoutes } from '../server/rest/scan-routes.ts';
import { createSecondFactorRoutes } from '../server/rest/second-factor-routes.ts';
import { createSessionRoutes, createSessionAdministrationRoutes } from '../server/rest/session-routes.ts';
import { createStatusRoutes, createHealthRoutes } from '../server/rest/status-routes.ts';
import { createTagSheetRoutes } from '../server/rest/tag-sheet-routes.ts';
import { createTemplateRoutes } from '../server/rest/template-routes.ts';
import { createTokenRoutes, createTokenAdministrationRoutes } from '../server/rest/token-routes.ts';
import { createTrustRoutes } from '../server/rest/trust-routes.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import type { TemplateLibrary } from '../plant/template/template-library.ts';
import type { Access } from './access.ts';
import type { Bundles } from './bundles.ts';
import type { ConfigurationApplier } from './configuration-applier.ts';
import type { Deployment } from './deployment.ts';
import type { LoadedFiles } from '../settings/loaded-files.ts';
import type { NetworkStatus } from './network-status.ts';
import { createProvisionPruner } from './provision-pruner.ts';
import type { ReadinessState } from './readiness-state.ts';
import { composeStatus } from './status.ts';
import type { StaticSettings } from './static-settings.ts';
import type { Tokens } from './tokens.ts';

interface RouteOptions {
  readonly registry: AssetRegistry;
  readonly scans: Scans;
  readonly keptScans: KeptScans;
  readonly assetAccess: AssetAccess;
  readonly configuration: ConfigurationStore;
  readonly applier: ConfigurationApplier;
  readonly drift: ProvisionDrift;
  readonly templates: TemplateLibrary;
  readonly identities: IdentityStore;
  readonly access: Access;
  readonly tokens: Tokens;
  readonly bundles: Bundles;
  readonly deployment: Deployment;
  readonly events: EventLog;
  readonly audit: AuditLog;
  readonly auditPublicKey: string;
  readonly auditExports: () => readonly ExportStatus[];
  readonly files: LoadedFiles;
  readonly storeCopier: StoreCopier;
  readonly backups: BackupRecord;
  readonly readiness: ReadinessState;
  readonly networkStatus: NetworkStatus;
  readonly dataDirectory: string;
  readonly settings: Pick<StaticSettings, 'writeDeadlineMs'>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Constructs every endpoint. Each request is compared with them in this order, so the most frequent come first. */
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
  const { scans, keptScans, settings, logger, clock } = options;
  const routes: Route[] = [];
  const listRoutes = (): readonly Route[] => routes;
  const renderRecords = createRecordRenderer();
  const writeDeadlineMs = (): number => settings.writeDeadlineMs;
  const rest = (): RestSettings => configuration.current().rest;
  const { administration } = access;
  const prune = createProvisionPruner({ drift, applier, administration, audit });
  routes.push(
    // Before those of assets, whose pids match any name.
    ...createListenRoutes(assetAccess, renderRecords),
    ...createAssetStatusRoutes({ access: assetAccess, registry }),
    ...createAssetRoutes({ access: assetAccess, renderRecords, rest, writeDeadlineMs, clock }),
    ...createCommissioningRoutes(assetAccess, clock),
    ...createDriverRoutes({ registry, access: assetAccess, clock }),
    ...createBrowseRoutes(registry),
    ...createTrustRoutes(registry, clock),
    ...createScanRoutes({ scans, logger, clock }),
    ...createKeptScanRoutes({ scans, keptScans, identities, configuration }),
    ...createSessionRoutes({
      ...access,
      rest,
      banners: () => configuration.current().banners,
      clock,
      clientCertificatePorts: () => networkStatus.clientCertificatePorts,
    }),
    ...createSessionAdministrationRoutes(access.sessionAdministration),
    ...createSecondFactorRoutes(access),
    ...createTokenRoutes({ ...tokens, identities, settings: () => configuration.current() }),
    ...createTokenAdministrationRoutes(tokens.tokenAdministration),
    ...createIdentityRoutes({
      ...access,
      rest,
      identities,
      passwordStrength: () => configuration.current().passwordStrength,
      routes: listRoutes,
    }),
    // Before those of sections, whose names match any path.
    ...createTemplateRoutes(templates),
    ...createDriftRoutes({ drift, prune }),
    ...createConfigurationRoutes({ configuration, applier, clock }),
    ...createTagSheetRoutes({ configuration, applier }),
    // Before those of packages, whose names match any path.
    ...createBundleRoutes({
      bundles: bundles.supervisor,
      providers: bundles.providers,
      packages: deployment.admin,
    }),
    ...createDeploymentRoutes({ ...deployment, clock }),
    ...createEventRoutes(events),
    ...createAuditRoutes({ audit, publicKey: auditPublicKey }),
    ...createBackupRoutes({ store: storeCopier, backups, clock }),
    ...createCertificateRoutes(),
    ...createStatusRoutes(composeStatus({ ...options, bundles: bundles.supervisor })),
    ...createHealthRoutes(() => readiness.current),
    ...createDescriptionRoutes({ routes: listRoutes, version: readVersion() }),
  );
  return routes;
}
