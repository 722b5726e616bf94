import path from 'node:path';
import { getHeapStatistics } from 'node:v8';

import { AssetRegistry } from '../asset/asset-registry.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { auditMigrations, createSqliteAuditStore } from '../audit/sqlite-audit-store.ts';
import { ByteBudget } from '../base/byte-budget.ts';
import type { Clock } from '../base/clock.ts';
import { ensurePrivateDirectory } from '../base/directory.ts';
import type { Startable } from '../base/lifecycle.ts';
import type { Logger } from '../base/logger.ts';
import type { InheritedSockets } from '../service/inherited-sockets.ts';
import type { ProbedPort } from '../service/port-probe.ts';
import type { ServiceManager } from '../service/service-manager.ts';
import { Watchdog } from '../service/watchdog.ts';
import { readVersion } from '../base/version.ts';
import { createGatewayMetrics } from '../metrics/gateway-metrics.ts';
import { toMeasuredConnection } from './measured-connection.ts';
import { MetricsListener } from '../metrics/metrics-listener.ts';
import { openStore } from '../base/store.ts';
import { composeAccess } from './access.ts';
import { composeBundleDrivers, composeBundles } from './bundles.ts';
import { composeConfiguration, createIdentityMaker, recordProvisioned } from './configuration.ts';
import type { Ground } from './ground.ts';
import { composeDeployment } from './deployment.ts';
import { composeTokens } from './tokens.ts';
import { configurationMigrations } from '../configuration/snapshot-store.ts';
import { ConfigurationApplier } from './configuration-applier.ts';
import { deploymentMigrations } from '../deployment/operation-store.ts';
import { EventLog } from '../event/event-log.ts';
import { createPlantReporter } from '../event/plant-reporter.ts';
import { StartSequence } from './start-sequence.ts';
import { ensureInitialAdministrator } from '../identity/initial-administrator.ts';
import { createPasswordHasher } from '../identity/password-hash.ts';
import { createSqliteIdentityStore, identityMigrations } from '../identity/sqlite-identity-store.ts';
import { Network } from './network.ts';
import { createApplication } from '../http/application.ts';
import { createAssetRoutes } from '../rest/asset-routes.ts';
import { createAuditRoutes } from '../rest/audit-routes.ts';
import { createAuditTrail } from '../http/audit-trail.ts';
import { createBundleRoutes } from '../rest/bundle-routes.ts';
import { createCommissioningRoutes } from '../rest/commissioning-routes.ts';
import { createDeploymentRoutes } from '../rest/deployment-routes.ts';
import { createEventRoutes } from '../rest/event-routes.ts';
import { EventStreams } from '../http/event-streams.ts';
import { createConfigurationRoutes } from '../rest/configuration-routes.ts';
import { ConnectionTable } from '../http/connection-table.ts';
import { createTrustedProxies, unmapped } from '../http/trusted-proxies.ts';
import { createIdentityRoutes } from '../rest/identity-routes.ts';
import { createListenRoutes } from '../rest/listen-routes.ts';
import { createDescriptionRoutes } from '../rest/description-routes.ts';
import { createHealthRoutes } from '../rest/health-routes.ts';
import type { Readiness } from '../rest/health-routes.ts';
import { createAccessLog } from '../http/access-log.ts';
import { LocalListener } from '../http/local-listener.ts';
import { LISTENER_KINDS } from '../http/listener.ts';
import { ListenerSet } from '../http/listener-set.ts';
import type { Route } from '../http/route.ts';
import { createSessionRoutes } from '../rest/session-routes.ts';
import { createTagSheetRoutes } from '../rest/tag-sheet-routes.ts';
import { createTokenRoutes } from '../rest/token-routes.ts';
import type { LoadedSettings } from '../settings/settings-file.ts';
import { tokenMigrations } from '../token/sqlite-used-token-ledger.ts';

export interface ComposeOptions {
  readonly loaded: LoadedSettings;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whoever supervises the process, and the sockets that it opened; absent: nobody. */
  readonly service?: {
    readonly manager: ServiceManager;
    readonly inheritedSockets: InheritedSockets;
    readonly runtimeDirectory?: string | undefined;
  };
}

/** The gateway as a whole. */
export interface Gateway extends Startable {
  /**
   * Puts other static settings, provision files and certificates in force without dropping a connection.
   *
   * @throws when something of it cannot be used; that part stays as it was
   */
  reload(loaded: LoadedSettings): Promise<void>;
  /** The ports that are open now. */
  openPorts(): Readonly<Record<'http' | 'https' | 'httpsClientAuth', readonly number[]>>;
  /** Every endpoint, for those who look at the interface as a whole. */
  readonly routes: readonly Route[];
}

/**
 * Constructs every part of the gateway, from the lowest layer to the highest. Nothing runs before `start`.
 *
 * @throws {DirectoryError} when there is no data directory and none can be made
 * @throws {StoreError} when the state on disk cannot be used
 */
export async function composeGateway({ loaded, logger, clock, service }: ComposeOptions): Promise<Gateway> {
  let { settings } = loaded;
  let readiness: Readiness = 'STARTING';
  const { dataDirectory } = settings;
  await ensurePrivateDirectory(dataDirectory);
  const store = openStore(path.join(dataDirectory, 'penstock.db'), MIGRATIONS);
  const audit = new AuditLog({ store: createSqliteAuditStore(store), clock, logger });
  const ground: Ground = { store, audit, dataDirectory, logger, clock };

  const events = new EventLog({ clock });
  const reporter = createPlantReporter((event) => events.publish(event));
  const drivers = await composeBundleDrivers({
    dataDirectory,
    isStarting: () => readiness === 'STARTING',
    isInstalled: (bundle) => deployment.admin.hasBundle(bundle),
  });
  const factories = () => drivers.kinds.list();
  const registry = new AssetRegistry({
    factories,
    driverDirectory: path.join(dataDirectory, 'drivers'),
    onChange: (change) => reporter.note(change),
    logger,
    clock,
    random: Math.random,
  });
  const identities = createSqliteIdentityStore(store, clock);
  const hasher = createPasswordHasher({ clock });
  const configuration = composeConfiguration(
    { ...ground, factories },
    createIdentityMaker(ground, identities, hasher),
  );
  const access = composeAccess({ ...ground, identities, hasher, settings: () => configuration.current() });
  const tokens = composeTokens({ ...ground, identities, settings: () => configuration.current() });
  access.authenticator.add(tokens.provider);

  const applier = new ConfigurationApplier({
    configuration,
    registry,
    audit,
    sources: loaded.provisionSources,
    logger,
    clock,
    onChange(snapshot) {
      reporter.keepOnly(configuration.current().plant.drivers.map(({ pid }) => pid));
      events.publish({ type: 'CONFIGURATION_CHANGED', snapshot });
    },
  });
  const bundles = composeBundles({
    ...ground,
    drivers,
    registry,
    authenticator: access.authenticator,
    identities,
    events,
  });
  const deployment = composeDeployment({
    ...ground,
    events,
    control: bundles,
    settings: () => settings.deployment,
  });
  const routes: readonly Route[] = [
    // Looked through in this order for every request, so what is asked for all the time comes first.
    ...createAssetRoutes(registry),
    ...createListenRoutes(registry),
    ...createCommissioningRoutes(registry, clock),
    ...createSessionRoutes({
      ...access,
      rest: () => configuration.current().rest,
      banners: () => configuration.current().banners,
      clientCertificatePorts: () => listeners.ports('https-client-auth'),
    }),
    ...createTokenRoutes({ ...tokens, identities, settings: () => configuration.current() }),
    ...createIdentityRoutes({
      ...access,
      identities,
      passwordStrength: () => configuration.current().passwordStrength,
      routes: () => routes,
    }),
    ...createConfigurationRoutes({ configuration, applier }),
    ...createTagSheetRoutes({ configuration, applier }),
    // Before those of packages, whose names match any path.
    ...createBundleRoutes({ bundles, packages: deployment.admin }),
    ...createDeploymentRoutes(deployment),
    ...createEventRoutes(events),
    ...createAuditRoutes(audit),
    ...createHealthRoutes(() => readiness),
    ...createDescriptionRoutes({ routes: () => routes, version: readVersion() }),
  ];
  let trustedProxies = createTrustedProxies(settings.http.trustedProxies);
  const budget = new ByteBudget({ maximumBytes: getHeapStatistics().heap_size_limit * CLIENT_SHARE, clock });
  const application = createApplication({
    routes,
    authenticator: access.authenticator,
    findSession: access.findSession,
    identities,
    rest: () => configuration.current().rest,
    trustedProxies: () => trustedProxies,
    trail: createAuditTrail({ audit, identities, logger }),
    streams: new EventStreams({
      authenticator: access.authenticator,
      identities,
      rest: () => configuration.current().rest,
      clock,
    }),
    accessLog: createAccessLog({ clock, logger, onAnswer: (answered) => metrics.note(answered) }),
    clock,
    logger,
  });
  const drainMs = (): number => settings.shutdownTimeoutSeconds * 1000;
  const listeners = new ListenerSet({
    application,
    connections: new ConnectionTable({ budget, isProxy: (address) => trustedProxies.has(unmapped(address)) }),
    drainMs,
    inheritedSockets: service?.inheritedSockets ?? new Map(),
    logger,
    clock,
  });

  // systemd gives a directory that is there while the daemon runs; from a checkout there is only that of the state.
  const localDirectory = service?.runtimeDirectory ?? dataDirectory;
  const localListener = new LocalListener({
    path: path.join(localDirectory, 'penstock.sock'),
    // Its group may come in where the directory lets it; root needs no right.
    mode: service?.runtimeDirectory === undefined ? 0o600 : 0o660,
    application,
    budget,
    drainMs,
    logger,
  });
  const network = new Network({ listeners, settings, logger, clock });
  const metrics = createGatewayMetrics({
    version: readVersion(),
    connections: () => registry.listConnections().map(toMeasuredConnection),
    bundles: () =>
      bundles.list().map(({ bundle, state }) => ({ name: bundle.id.name, isActive: state === 'ACTIVE' })),
    openSessions: () => access.sessions.count(),
    certificateExpiresAtMs: () => network.certificateExpiresAtMs,
  });
  const metricsListener = new MetricsListener({ settings: settings.metrics, metrics, logger });
  const listProbedPorts = (): readonly ProbedPort[] =>
    LISTENER_KINDS.flatMap((kind) =>
      listeners.ports(kind).map((port) => ({ host: settings.http.host, port, isTls: kind !== 'http' })),
    );
  const gateway = new StartSequence([
    closing(() => store.close()),
    audit,
    closing(() => hasher.stop()),
    applier,
    starting(async () => {
      const made = await ensureInitialAdministrator({ identities, hasher, dataDirectory, logger });
      if (made !== undefined) recordProvisioned(audit, made);
    }),
    closing(() => bundles.close()),
    deployment.admin,
    access.sessions,
    localListener,
    metricsListener,
    network,
    ...(service === undefined
      ? []
      : [new Watchdog({ manager: service.manager, ports: listProbedPorts, clock, logger })]),
  ]);
  return {
    routes,
    async start(signal) {
      await gateway.start(signal);
      readiness = 'UP';
    },
    stop() {
      readiness = 'STOPPING';
      return gateway.stop();
    },
    async reload(reloaded) {
      // Whatever can be refused is refused before anything changes.
      applier.check(reloaded.provisionSources);
      await network.apply({ ...reloaded.settings, dataDirectory });
      await metricsListener.apply(reloaded.settings.metrics);
      await applier.apply(reloaded.provisionSources);
      tokens.keys.reload();
      ({ settings } = reloaded);
      trustedProxies = createTrustedProxies(settings.http.trustedProxies);
      if (settings.dataDirectory !== dataDirectory) {
        logger.warn('reload.restartNeeded', { key: 'dataDirectory' });
      }
    },
    openPorts: () => ({
      http: listeners.ports('http'),
      https: listeners.ports('https'),
      httpsClientAuth: listeners.ports('https-client-auth'),
    }),
  };
}

// Part of the heap that requests, bodies and unread answers of clients may take: 40 MiB of the 640 that the service has.
const CLIENT_SHARE = 1 / 16;

const MIGRATIONS = [
  identityMigrations,
  configurationMigrations,
  auditMigrations,
  tokenMigrations,
  deploymentMigrations,
];

function starting(start: () => Promise<void>): Startable {
  return { start, stop: () => Promise.resolve() };
}

function closing(stop: () => void | Promise<void>): Startable {
  return { start: () => Promise.resolve(), stop: async () => stop() };
}
