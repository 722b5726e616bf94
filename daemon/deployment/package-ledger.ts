import { readdir, unlink } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory } from '../base/atomic-file.ts';
import { installedPackageSchema } from './installed-package.ts';
import type { InstalledPackage } from './installed-package.ts';
import { readChecksummedFile, writeChecksummedFile } from '../base/checksummed-file.ts';
import type { CheckedContent } from '../base/checksummed-file.ts';

/** What the ledger holds. */
export interface LedgerContent {
  /** In the order of installation. */
  readonly packages: readonly InstalledPackage[];
  /** Packages whose record cannot be read. */
  readonly damaged: readonly string[];
}

const SUFFIX = '.json';

/**
 * Says which packages are installed: one file each. The rename of that file, or its removal, is the one moment in which a
 * package changes.
 */
export class PackageLedger {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Reads every record; what writes that did not end left behind is no record. */
  async load(): Promise<LedgerContent> {
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

  /** Makes this the installed version of its package; it is on the medium when this resolves. */
  async put(record: InstalledPackage): Promise<void> {
    await writeChecksummedFile(this.#fileOf(record.name), record);
  }

  /** Makes the package not installed; that is on the medium when this resolves. Nothing happens when it is none. */
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
