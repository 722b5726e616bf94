import path from 'node:path';

import { PackageLedger, contentDirectoryOf, ledgerDirectoryOf } from './package-ledger.ts';

/** A resource of an installed package. */
interface InstalledResource {
  /** Path of its entry in the package. */
  readonly path: string;
  /** The file that holds it. */
  readonly file: string;
}

/**
 * Lists the resources of installed packages as the records on disk name them, in the order of installation; nothing has to
 * run.
 *
 * @param root directory of all files of packages; it need not exist
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
    return (await new PackageLedger(ledgerDirectoryOf(root)).load()).packages;
  } catch (error) {
    // No package was ever installed.
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}
