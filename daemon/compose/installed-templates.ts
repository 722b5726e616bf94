import type { DeploymentAdmin } from '../deployment/deployment-admin.ts';

// A resource of a package with this path is a template.
const TEMPLATE_RESOURCE = /^templates\/[^/]+\.yaml$/;

type Packages = Pick<DeploymentAdmin, 'listResourceFiles'>;

/** Finds the templates that installed packages bring; none until `follow` names what installs them. */
export class InstalledTemplates {
  #packages: Packages | undefined;

  /** Uses these packages from now on. */
  follow(packages: Packages): void {
    this.#packages = packages;
  }

  /** Lists the files of their templates, in the order of installation. */
  listFiles(): readonly string[] {
    const resources = this.#packages?.listResourceFiles() ?? [];
    return resources.filter(({ path }) => TEMPLATE_RESOURCE.test(path)).map(({ file }) => file);
  }
}
