import type { DeploymentAdmin } from '../software/deployment/deployment-admin.ts';

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
