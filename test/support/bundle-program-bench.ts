import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { AssetAccess } from '../../daemon/plant/access/asset-access.ts';
import { systemRandom } from '../../daemon/base/random.ts';
import { AssetRegistry } from '../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../daemon/base/slices.ts';
import { systemClock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import type { RefusedIdentity } from '../../daemon/software/bridge/bridged-provider.ts';
import { BundleSettings } from '../../daemon/software/bridge/bundle-settings.ts';
import { BundleIdentities } from '../../daemon/software/bridge/bundle-identities.ts';
import { BundleBridge } from '../../daemon/software/bridge/bundle-bridge.ts';
import { BundleJournals } from '../../daemon/software/bridge/journal/bundle-journals.ts';
import type { OpenJournal } from '../../daemon/software/bridge/journal/bundle-journals.ts';
import { openDriverTypeStore } from '../../daemon/software/bridge/driver-type-store.ts';
import { ProviderRegistry } from '../../daemon/software/bridge/provider-registry.ts';
import { DriverRegistry } from '../../daemon/software/bridge/driver-registry.ts';
import { DriverLinks } from '../../daemon/software/bridge/driver-links.ts';
import type { Bundle } from '../../daemon/software/bundle/bundle.ts';
import type { DriverFactory } from '../../daemon/channel/driver.ts';
import type { Credentials } from '../../daemon/security/identity/provider/authentication-provider.ts';
import {
  idempotencyMigrations,
  IdempotencyStore,
} from '../../daemon/security/idempotency/idempotency-store.ts';
import { Authenticator } from '../../daemon/security/identity/authenticator.ts';
import {
  SqliteIdentityStore,
  identityMigrations,
} from '../../daemon/security/identity/sqlite-identity-store.ts';
import { createSupervisor } from './bundle-program.ts';
import type { SupervisorOptions } from './bundle-program.ts';
import { createLastWrites } from './last-writes.ts';
import { createMemoryLogger } from './memory-logger.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

export interface BridgeBenchOptions extends Pick<SupervisorOptions, 'limits'> {
  readonly builtIn?: readonly DriverFactory[] | undefined;
  /** Where kinds of driver are kept: that of an earlier bench, as after a restart. */
  readonly kindsFile?: string | undefined;
  /** Default: nothing is recorded. */
  /** Default: no bundle has settings. */
  readonly findSettings?: ((name: string) => Readonly<Record<string, unknown>> | undefined) | undefined;
  readonly findJournal?: (() => OpenJournal | undefined) | undefined;
}

/** A gateway reduced to the parts that bundles use: assets, identities and the bridge, with bundles in real processes. */
export async function createBridgeBench(
  owner: Owner,
  {
    builtIn = [],
    limits,
    kindsFile: givenFile,
    findJournal = () => undefined,
    findSettings = () => undefined,
  }: BridgeBenchOptions = {},
) {
  const kindsFile = givenFile ?? path.join(createTemporaryDirectory(owner), 'kinds.json');
  const clock = systemClock;
  const logger = createMemoryLogger();
  const store = openStore(':memory:', [identityMigrations, idempotencyMigrations]);
  const mode = { isLenient: false };
  const links = new DriverLinks();
  const kinds = new DriverRegistry({
    builtIn,
    store: await openDriverTypeStore(kindsFile),
    links,
    isLenient: () => mode.isLenient,
    isPresent: (name) => bundles.supervisor.list().some(({ bundle }) => bundle.id.name === name),
    isUsed: () => false,
  });
  const registry = new AssetRegistry({
    factories: () => kinds.list(),
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    logger,
    clock,
    lastWrites: createLastWrites(clock),
    random: systemRandom,
  });
  owner.after(() => registry.stop());
  const identities = new SqliteIdentityStore(store, clock);
  // On a busy machine a bundle runs only when no other process needs the CPU.
  const authenticator = new Authenticator({ clock, logger, sharedLimitMs: 60_000 });
  const refused: RefusedIdentity[] = [];
  const onRefused = (refusal: RefusedIdentity): void => void refused.push(refusal);
  const providers = new ProviderRegistry({ authenticator, identities, onRefused, logger, clock });
  const bundleIdentities = new BundleIdentities({ identities, onCreated: () => undefined });
  const access = new AssetAccess({ registry, identities, clock });
  const settings = new BundleSettings({ installed: [], findSettings, isLenient: () => false });
  const log = {
    refused: () => undefined,
    replayed: () => undefined,
    begin: () => Promise.resolve(() => undefined),
  };
  const host = new BundleBridge({
    access,
    identities: bundleIdentities,
    log,
    keys: new IdempotencyStore({ store, clock }),
    kinds,
    links,
    providers,
    journals: new BundleJournals({
      findJournal,
      access,
      callerOf: (session) => bundleIdentities.callerOf(session),
      logger: createMemoryLogger(),
      clock,
    }),
    settings,
    gatewayName: 'gateway.test',
    removeCursors: () => Promise.resolve(),
    writeDeadlineMs: () => 60_000,
    clock: systemClock,
  });
  const bundles = createSupervisor(owner, { host, limits });
  settings.onApplied(() => {
    host.deliverSettings();
    bundles.supervisor.revise();
  });
  return {
    ...bundles,
    kindsFile,
    settings,
    kinds,
    registry,
    access,
    log,
    identities,
    bundleIdentities,
    authenticator,
    providers,
    refused,
    gatewayLines: logger.lines,
    mode,
    /** Puts drivers and assets in force, or returns their errors. */
    async configure(document: { readonly drivers: readonly object[]; readonly assets: readonly object[] }) {
      const { value, faults } = finish(checkPlant(kinds.list(), document));
      if (value !== undefined) await registry.apply(value);
      return faults;
    },
    /** Asks who sent a request with these header fields. */
    async authenticate(headers: Readonly<Record<string, string>>): Promise<string | undefined> {
      const principal = await authenticator.authenticate(toCredentials(headers));
      return principal?.identity.name;
    },
  };
}

function toCredentials(headers: Readonly<Record<string, string>>): Credentials {
  return {
    remoteAddress: '192.0.2.1',
    isXsrfExempt: false,
    isOpenToLockedSessions: false,
    header: (name) => headers[name.toLowerCase()],
  };
}

const EXAMPLES = path.resolve(import.meta.dirname, '../../docs/examples');

/** Installs an example of the documentation, with the permissions that its manifest asks for. */
export function createExampleBundle(owner: Owner, example: string): Bundle {
  const root = createTemporaryDirectory(owner);
  const directory = path.join(root, 'content');
  cpSync(path.join(EXAMPLES, example), directory, { recursive: true });
  const manifest = readFileSync(path.join(directory, 'META-INF/MANIFEST.MF'), 'utf8');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(manifest)?.[1];
  const dataDirectory = path.join(root, 'data');
  mkdirSync(dataDirectory);
  return {
    id: { name: header('Bundle-SymbolicName') ?? '', version: header('Bundle-Version') ?? '' },
    directory,
    dataDirectory,
    main: header('Penstock-Main'),
    permissions: header('Penstock-Permissions') ?? '',
    identities: header('Penstock-Identities'),
  };
}
