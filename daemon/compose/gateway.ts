import { AssetAccess } from '../plant/access/asset-access.ts';
import type { Startable } from '../base/lifecycle.ts';
import { LogBuffer } from '../base/log-buffer.ts';
import type { Logger } from '../base/logger.ts';
import { createStoreCopier } from '../base/store/store-copy.ts';
import { BackgroundScans } from '../plant/discovery/background-scans.ts';
import { Scans } from '../plant/discovery/scans.ts';
import { TrialReads } from '../plant/discovery/trial-reads.ts';
import { SeenCertificates } from '../server/http/connection/seen-certificates.ts';
import { createBackupRecord } from '../base/store/backup-record.ts';
import { createClockSynchronization } from '../machine/service/clock-synchronization.ts';
import { EventLog } from '../server/event/event-log.ts';
import type { Route } from '../server/http/route.ts';
import { CredentialRevocations } from '../security/identity/credential-revocations.ts';
import { MetricsListener } from '../machine/metrics/metrics-listener.ts';
import { LoadedFiles } from '../settings/loaded-files.ts';
import type { LoadedSettings } from '../settings/settings-file.ts';
import { YamlReader } from '../settings/yaml-reader.ts';
import { composeAccess } from './access.ts';
import { composeApplication } from './application.ts';
import { composeAuditExport } from './audit-export.ts';
import { composeBundles } from './bundles.ts';
import { composeConfiguration } from './configuration.ts';
import { composeConsole } from './console.ts';
import { composeDeployment } from './deployment.ts';
import { composeDrivers } from './drivers.ts';
import { composeHosts } from './hosts.ts';
import { composeBundleSettings, InstalledBundles } from './installed-bundles.ts';
import { composeListeners } from './listeners.ts';
import type { HostServices } from './host-services.ts';
import { composeMetrics } from './metrics.ts';
import type { OpenPorts } from '../server/http/connection/network.ts';
import { NetworkStatus } from './network-status.ts';
import { composePlant } from './plant.ts';
import { provisionInitialAdministrator } from './provisioned-identities.ts';
import { ReadinessState } from './readiness-state.ts';
import { Recording } from './recording/recording.ts';
import { createReload } from './reload.ts';
import { composeRoutes } from './routes.ts';
import { onStart, onStop, StartSequence } from './start-sequence.ts';
import { openState } from './state.ts';
import { StaticSettings } from './static-settings.ts';
import { composeWatchdog } from './supervision.ts';
import type { Supervision } from './supervision.ts';
import { composeTemplates } from './templates.ts';
import { composeTokens } from './tokens.ts';

interface ComposeOptions {
  readonly loaded: LoadedSettings;
  readonly logger: Logger;
  /** Last lines of the log; absent: none are kept. */
  readonly logBuffer?: LogBuffer;
  /** Services of the host: `systemHostServices`, or those of a simulation. */
  readonly hostServices: HostServices;
  /** The service manager; absent: the process is not supervised. */
  readonly supervision?: Supervision;
  /** YAML reader of the process; default: a separate one. */
  readonly yaml?: YamlReader;
}

/** The gateway as a whole. */
export interface Gateway extends Startable {
  /**
   * Applies changed static settings, provision files and certificates without dropping a connection.
   *
   * @throws when a component rejects its settings; that component stays unchanged
   */
  reload(loaded: LoadedSettings): Promise<void>;
  /** The ports that are open now. */
  openPorts(): OpenPorts;
  /** Every endpoint, in matching order. */
  readonly routes: readonly Route[];
}

/**
 * Constructs all components of the gateway, from the lowest layer to the highest. Nothing runs before `start`.
 *
 * @throws {DirectoryError} when the data directory does not exist and cannot be created
 * @throws {StoreError} when the state on disk cannot be used
 */
export async function composeGateway(options: ComposeOptions): Promise<Gateway> {
  const { loaded, supervision, yaml = new YamlReader(), logger, hostServices } = options;
  const { dataDirectory, audit: auditSettings } = loaded.settings;
  const { clock, random, driverFactories: builtIn, launcher, listen, bundleLimits: limits } = hostServices;
  const { logBuffer = new LogBuffer(random) } = options;
  const runtime = { logger, clock, random };

  // State that changes at run time; every phase below reads it.
  const settings = new StaticSettings(loaded.settings);
  const files = new LoadedFiles(loaded.files);
  const readiness = new ReadinessState();
  const installedBundles = new InstalledBundles();
  const networkStatus = new NetworkStatus();
  const events = new EventLog(runtime);

  // The state on disk.
  const { store, ...state } = await openState({
    dataDirectory,
    maximumEvents: auditSettings.maximumEvents,
    logger,
    hostServices,
  });
  const { audit, auditPublicKey, identities, definedPermissions, hasher, requestKeys } = state;

  const exporters = composeAuditExport({ audit, store, settings, logger, clock });
  const auditExports = () => exporters.map((exporter) => exporter.status());

  // The plant, and the configuration that describes it.
  const isUsed = (type: string): boolean =>
    configuration.current().plant.drivers.some((driver) => driver.type === type);
  const drivers = await composeDrivers({ dataDirectory, builtIn, installedBundles, readiness, isUsed });
  const { kinds } = drivers;
  const bundleSettings = await composeBundleSettings({
    dataDirectory,
    readiness,
    findSettings: (name) => configuration.current().bundles.find(({ pid }) => pid === name)?.settings,
  });
  const plant = composePlant({ kinds, events, store, dataDirectory, ...runtime });
  const { registry } = plant;
  const recording = new Recording({
    store,
    dataDirectory,
    registry,
    events,
    host: hostServices.recording,
    logger,
    clock,
  });
  const templates = composeTemplates({ dataDirectory, yaml });
  const scans = new Scans({
    registry,
    factories: () => kinds.list(),
    listDescribed: () => templates.listDescribed(),
    ...runtime,
  });
  const trials = new TrialReads({ registry, factories: () => kinds.list() });
  const backgroundScans = new BackgroundScans(runtime);
  const sources = loaded.provisionSources;
  const described = { kinds, bundleSettings, templates, sources, recording };
  const managed = composeConfiguration({ store, ...state, ...described, ...plant, events, ...runtime });
  const { configuration, applier } = managed;

  // Authentication.
  const credentialRevocations = new CredentialRevocations();
  const access = composeAccess({
    store,
    identities,
    hasher,
    configuration,
    dataDirectory,
    credentialRevocations,
    ...runtime,
  });
  const { authenticator, sessions } = access;
  const credentials = { identities, authenticator, configuration };
  const tokens = composeTokens({ store, ...credentials, dataDirectory, credentialRevocations, ...runtime });

  // Bundles, and the packages that install them.
  const assetAccess = new AssetAccess({ registry, identities, clock });
  const host = { drivers, assetAccess, authenticator, identities, recording, bundleSettings, requestKeys };
  const bundles = composeBundles({
    ...host,
    audit,
    events,
    settings,
    supervision,
    launcher,
    limits,
    ...runtime,
  });
  const control = bundles.supervisor;
  const packages = { store, audit, events, control, kinds, bundleSettings, installedBundles, settings };
  const deployment = composeDeployment({ ...packages, dataDirectory, ...runtime });

  // The REST API and its ports.
  const backups = createBackupRecord(dataDirectory);
  const core = {
    ...managed,
    templates,
    registry,
    scans,
    trials,
    backgroundScans,
    assetAccess,
    identities,
    definedPermissions,
    access,
    tokens,
    bundles,
    deployment,
    events,
    audit,
    auditPublicKey,
    auditExports,
    recording,
    files,
    backups,
    storeCopier: createStoreCopier(store.database, dataDirectory),
  };
  const routes = composeRoutes({
    ...core,
    logBuffer,
    readiness,
    networkStatus,
    dataDirectory,
    settings,
    ...runtime,
  });
  const seenCertificates = new SeenCertificates();
  const isClockSynchronized = createClockSynchronization(clock);
  const ofMachine = { dataDirectory, backups, isClockSynchronized };
  const metrics = composeMetrics({
    clock,
    ...ofMachine,
    seenCertificates,
    identities,
    registry,
    bundles,
    sessions,
    networkStatus,
    audit,
    auditExports,
    recording,
  });
  const pipeline = { routes, access, identities, configuration, settings, audit, metrics, seenCertificates };
  const site = await composeConsole({ directories: hostServices.consoleDirectories, settings, logger });
  const hosts = composeHosts({ settings, networkStatus, clock });
  const { isKnownHost } = hosts;
  const application = composeApplication({
    ...pipeline,
    isKnownHost,
    credentialRevocations,
    requestKeys,
    yaml,
    site,
    ...runtime,
  });
  const ports = { application, settings, networkStatus, audit, dataDirectory, supervision };
  const { network, localListener } = composeListeners({ ...ports, logger, hostServices });
  const metricsListener = new MetricsListener({
    settings: settings.current.metrics,
    metrics,
    findRefusal: hosts.findRefusal,
    listen,
    logger,
  });
  const watchdog = composeWatchdog({ supervision, network, settings, ...runtime });

  const sequence = new StartSequence([
    onStop(() => store.close()),
    audit,
    ...exporters,
    onStop(() => hasher.stop()),
    applier,
    recording,
    onStart(() => provisionInitialAdministrator({ ...state, dataDirectory, logger, random })),
    onStop(() => control.close()),
    onStop(() => backgroundScans.close()),
    deployment.admin,
    sessions,
    localListener,
    metricsListener,
    network,
    ...watchdog,
  ]);
  const { keys } = tokens;
  return {
    routes,
    async start(signal) {
      await sequence.start(signal);
      readiness.current = 'UP';
    },
    stop() {
      readiness.current = 'STOPPING';
      return sequence.stop();
    },
    reload: createReload({ settings, files, dataDirectory, applier, network, metricsListener, keys, logger }),
    openPorts: () => network.openPorts(),
  };
}
