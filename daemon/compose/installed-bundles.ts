import path from 'node:path';

import { BundleSettings } from '../software/bridge/bundle-settings.ts';
import { InstalledPackageStore, recordDirectoryOf } from '../software/deployment/installed-package-store.ts';
import type { DeploymentAdmin } from '../software/deployment/deployment-admin.ts';
import type { ReadinessState } from './readiness-state.ts';

type Packages = Pick<DeploymentAdmin, 'hasBundle'>;

/**
 * Provides the installed bundles to drivers. Drivers are constructed before packages; no bundle counts as installed
 * until `follow` is called.
 */
export class InstalledBundles {
  #packages: Packages | undefined;

  /** Switches to these packages. */
  follow(packages: Packages): void {
    this.#packages = packages;
  }

  has(symbolicName: string): boolean {
    return this.#packages?.hasBundle(symbolicName) ?? false;
  }
}

interface BundleSettingsOptions {
  readonly dataDirectory: string;
  /** During the start, settings for an earlier version of a bundle are accepted. */
  readonly readiness: Pick<ReadinessState, 'isStarting'>;
  /** Absent: no bundle runs. */
  readonly findSettings?: (name: string) => Readonly<Record<string, unknown>> | undefined;
}

/** Constructs the settings of bundles, with the schemas of those that are installed: the configuration is checked before they run. */
export async function composeBundleSettings({
  dataDirectory,
  readiness,
  findSettings = () => undefined,
}: BundleSettingsOptions): Promise<BundleSettings> {
  const records = new InstalledPackageStore(recordDirectoryOf(path.join(dataDirectory, 'packages')));
  // What cannot be read is reported by the deployment, which reads the records again.
  const { packages } = await records.load().catch(() => ({ packages: [] }));
  const installed = packages.flatMap(({ bundles }) =>
    bundles.map(({ symbolicName: name, settings }) => ({ name, settings })),
  );
  return new BundleSettings({ installed, findSettings, isLenient: () => readiness.isStarting });
}
