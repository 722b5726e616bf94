import path from 'node:path';

import { openDriverKindStore } from '../software/bridge/driver-kind-store.ts';
import { DriverLinks } from '../software/bridge/driver-links.ts';
import { DriverRegistry } from '../software/bridge/driver-registry.ts';
import type { DriverFactory } from '../channel/driver.ts';
import { InstalledBundles } from './installed-bundles.ts';
import { systemHostServices } from './host-services.ts';
import type { ReadinessState } from './readiness-state.ts';

interface DriverOptions {
  readonly dataDirectory: string;
  /** The drivers of the gateway itself. */
  readonly builtIn: readonly DriverFactory[];
  readonly installedBundles: InstalledBundles;
  /** While the gateway starts, configurations are accepted that do not fit the declaration of a bundle. */
  readonly readiness: Pick<ReadinessState, 'isStarting'>;
  /** Returns whether the configuration in force has a connection of this kind. */
  readonly isUsed: (type: string) => boolean;
}

/** The drivers of the gateway and those of bundles. */
export interface Drivers {
  readonly kinds: DriverRegistry;
  readonly links: DriverLinks;
}

/** Constructs the registry of drivers. */
export async function composeDrivers(options: DriverOptions): Promise<Drivers> {
  const { dataDirectory, builtIn, installedBundles, readiness, isUsed } = options;
  const links = new DriverLinks();
  const kinds = new DriverRegistry({
    builtIn,
    store: await openDriverKindStore(path.join(dataDirectory, 'bundle-drivers.json')),
    links,
    isLenient: () => readiness.isStarting,
    isPresent: (bundle) => installedBundles.has(bundle),
    isUsed,
  });
  return { kinds, links };
}

/** Lists every driver that the state on disk names; starts nothing. */
export async function listKnownDrivers(dataDirectory: string): Promise<readonly DriverFactory[]> {
  const installedBundles = new InstalledBundles();
  const { kinds } = await composeDrivers({
    dataDirectory,
    builtIn: systemHostServices.driverFactories,
    installedBundles,
    readiness: { isStarting: false },
    isUsed: () => true,
  });
  return kinds.list();
}
