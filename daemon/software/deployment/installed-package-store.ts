import { readdir, unlink } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory } from '../../base/file/atomic-file.ts';
import { installedPackageSchema } from './installed-package.ts';
import type { InstalledPackage } from './installed-package.ts';
import { readChecksummedFile, writeChecksummedFile } from '../../base/file/checksummed-file.ts';
import type { CheckedContent } from '../../base/file/checksummed-file.ts';

/** Records of the installed packages. */
export interface InstalledPackages {
  /** In the order of installation. */
  readonly packages: readonly InstalledPackage[];
  /** Names of packages whose record cannot be read. */
  readonly damaged: readonly string[];
}

const SUFFIX = '.json';

/**
 * Stores one record file per installed package. The rename or removal of that file commits a change of the package.
 */
export class InstalledPackageStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Reads every record; temporary files of interrupted writes are not records. */
  async load(): Promise<InstalledPackages> {
    const files = (await readdir(this.#directory)).filter((file) => file.endsWith(SUFFIX)).sort();
    const packages: InstalledPackage[] = [];
    const damaged: string[] = [];
    for (const file of files) {
      const name = file.slice(0, -SUFFIX.length);
      const read = await this.find(name);
      if (read.state === 'INTACT' && read.value.name === name) packages.push(read.value);
      else damaged.push(name);
    }
    return { packages: packages.sort((a, b) => a.position - b.position), damaged };
  }

  /** Reads one record. */
  find(name: string): Promise<CheckedContent<InstalledPackage>> {
    return readChecksummedFile(this.#fileOf(name), installedPackageSchema);
  }

  /** Stores the record of an installed version; the change is synced when this resolves. */
  async put(record: InstalledPackage): Promise<void> {
    await writeChecksummedFile(this.#fileOf(record.name), record);
  }

  /** Removes the record of a package, if it has one; the change is synced when this resolves. */
  async remove(name: string): Promise<void> {
    try {
      await unlink(this.#fileOf(name));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    }
    await syncDirectory(this.#directory);
  }

  #fileOf(name: string): string {
    return path.join(this.#directory, `${name}${SUFFIX}`);
  }
}

/** Returns the directory of the records of installed packages, below that of all files of packages. */
export function recordDirectoryOf(root: string): string {
  return path.join(root, 'ledger');
}

/** Returns the directory of the content of an installed package, below that of all files of packages. */
export function contentDirectoryOf(
  root: string,
  { name, directory }: Pick<InstalledPackage, 'name' | 'directory'>,
): string {
  return path.join(root, 'store', name, directory);
}
