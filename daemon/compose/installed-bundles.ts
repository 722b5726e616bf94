import type { DeploymentAdmin } from '../software/deployment/deployment-admin.ts';

type Packages = Pick<DeploymentAdmin, 'hasBundle'>;

/**
 * Tells the drivers which bundles are installed. Drivers are constructed before packages; no bundle counts as installed
 * until `follow` names what installs them.
 */
export class InstalledBundles {
  #packages: Packages | undefined;

  /** Uses these packages from now on. */
  follow(packages: Packages): void {
    this.#packages = packages;
  }

  has(symbolicName: string): boolean {
    return this.#packages?.hasBundle(symbolicName) ?? false;
  }
}
