import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Directories of the packages that come with the gateway: that of a checkout after `npm run packages`, and that of the Debian package. */
const SHIPPED_PACKAGES: readonly string[] = [
  path.resolve(import.meta.dirname, '../../../build/packages'),
  '/usr/share/penstock/packages',
];

/**
 * Finds a package that comes with the gateway, `NAME_VERSION.dp`.
 *
 * @param name symbolic name; a file of this name in the working directory comes first
 * @returns its file; undefined: there is none
 */
export function findShippedPackage(
  name: string,
  directories: readonly string[] = SHIPPED_PACKAGES,
): string | undefined {
  if (!/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/.test(name) || existsSync(name)) return undefined;
  const prefix = `${name}_`;
  for (const directory of directories.filter((each) => existsSync(each))) {
    const file = readdirSync(directory).find(
      (each) => each.startsWith(prefix) && /^\d[^_]*\.dp$/.test(each.slice(prefix.length)),
    );
    if (file !== undefined) return path.join(directory, file);
  }
  return undefined;
}
