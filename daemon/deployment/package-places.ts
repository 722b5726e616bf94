import path from 'node:path';

import type { InstalledPackage } from './installed-package.ts';

/** Returns the directory of the records of installed packages, below that of all files of packages. */
export function ledgerDirectoryOf(root: string): string {
  return path.join(root, 'ledger');
}

/** Returns the directory of the content of an installed package, below that of all files of packages. */
export function contentDirectoryOf(
  root: string,
  { name, directory }: Pick<InstalledPackage, 'name' | 'directory'>,
): string {
  return path.join(root, 'store', name, directory);
}
