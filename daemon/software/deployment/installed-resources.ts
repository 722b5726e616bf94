import path from 'node:path';

import { InstalledPackageStore, contentDirectoryOf, recordDirectoryOf } from './installed-package-store.ts';

/** A resource of an installed package. */
interface InstalledResource {
  /** Path of its entry in the package. */
  readonly path: string;
  /** The file that holds it. */
  readonly file: string;
}

/**
 * Lists the resources of installed packages from the records on disk, in the order of installation. Works without a daemon.
 *
 * @param root directory of all files of packages; may be missing
 */
export async function listInstalledResources(root: string): Promise<readonly InstalledResource[]> {
  const packages = await listPackages(root);
  return packages.flatMap((record) =>
    record.resources.map(({ path: entry, location }) => ({
      path: entry,
      file: path.join(contentDirectoryOf(root, record), location),
    })),
  );
}

async function listPackages(root: string) {
  try {
    return (await new InstalledPackageStore(recordDirectoryOf(root)).load()).packages;
  } catch (error) {
    // No package was ever installed.
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}
