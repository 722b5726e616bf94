import path from 'node:path';

import { openDriverTypeStore } from '../software/bridge/driver-type-store.ts';
import { DriverLinks } from '../software/bridge/driver-links.ts';
import { DriverRegistry } from '../software/bridge/driver-registry.ts';
import type { DriverFactory } from '../channel/driver.ts';
import { InstalledBundles } from './installed-bundles.ts';
import { systemHostServices } from './host-services.ts';
import type { ReadinessState } from './readiness-state.ts';

interface DriverOptions {
  readonly dataDirectory: string;
  /** Built-in drivers. */
  readonly builtIn: readonly DriverFactory[];
  readonly installedBundles: InstalledBundles;
  /** During the start, configurations that do not match the declaration of a bundle are accepted. */
  readonly readiness: Pick<ReadinessState, 'isStarting'>;
  /** Returns true if the active configuration has a connection of this type. */
  readonly isUsed: (type: string) => boolean;
}

/** Built-in drivers and those of bundles. */
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
    store: await openDriverTypeStore(path.join(dataDirectory, 'bundle-drivers.json')),
    links,
    isLenient: () => readiness.isStarting,
    isPresent: (bundle) => installedBundles.has(bundle),
    isUsed,
  });
  return { kinds, links };
}

/** Lists every driver in the state on disk; starts nothing. */
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
