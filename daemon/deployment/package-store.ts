import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory } from '../base/atomic-file.ts';
import { ensurePrivateDirectory } from '../base/directory.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { LedgerContent } from './package-ledger.ts';

/**
 * The directories below which everything about packages is kept.
 *
 * - `ledger`: a record of each installed package
 * - `journal.json`: the change that is under way
 * - `spool`: packages as they came in
 * - `staging`: packages that are being checked; empty unless an operation runs
 * - `store/<package>/<version>-<operation>`: installed content
 * - `data/<bundle>`: what bundles write
 */
export class PackageStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  get ledgerDirectory(): string {
    return path.join(this.#root, 'ledger');
  }

  get journalFile(): string {
    return path.join(this.#root, 'journal.json');
  }

  /** Makes the directories that are missing. */
  async prepare(): Promise<void> {
    for (const name of ['ledger', 'spool', 'staging', 'store', 'data']) {
      await ensurePrivateDirectory(path.join(this.#root, name));
    }
    await syncDirectory(this.#root);
  }

  /** Where a package comes in; nothing is there yet. */
  spoolFile(operationId: string): string {
    return path.join(this.#root, 'spool', `${operationId}.dp`);
  }

  /** Where a package is unpacked; nothing is there yet. */
  stagingDirectory(operationId: string): string {
    return path.join(this.#root, 'staging', operationId);
  }

  /** Where the content of an installed package is. */
  contentDirectory({ name, directory }: Pick<InstalledPackage, 'name' | 'directory'>): string {
    return path.join(this.#root, 'store', name, directory);
  }

  /** Where something of an installed package is. */
  contentFile(record: InstalledPackage, location: string): string {
    return path.join(this.contentDirectory(record), location);
  }

  /** Where a bundle may write. */
  dataDirectory(symbolicName: string): string {
    return path.join(this.#root, 'data', symbolicName);
  }

  /** Bytes that are left for everything about packages. */
  async countFreeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root);
    return bavail * bsize;
  }

  /** Moves unpacked content to its place; every name in it is on the medium when this resolves. */
  async adopt(stagingDirectory: string, record: InstalledPackage): Promise<void> {
    await syncTree(stagingDirectory);
    const target = this.contentDirectory(record);
    const parent = path.dirname(target);
    await mkdir(parent, { recursive: true, mode: 0o700 });
    await syncDirectory(path.dirname(parent));
    await rename(stagingDirectory, target);
    await syncDirectory(parent);
    await syncDirectory(path.dirname(stagingDirectory));
  }

  /** Removes what a bundle wrote. */
  async removeData(symbolicName: string): Promise<void> {
    await remove(this.dataDirectory(symbolicName));
  }

  /**
   * Removes everything that belongs to no installed package: it is left of changes that did not take place, or have.
   * Packages whose record cannot be read keep all that they have.
   *
   * @param keptOperations operations whose spooled package is still of use
   */
  async sweep({ packages, damaged }: LedgerContent, keptOperations: ReadonlySet<string>): Promise<void> {
    await this.#removeFrom('staging', () => false);
    await this.#removeFrom('spool', (file) => keptOperations.has(path.basename(file, '.dp')));
    // Writes that were cut off.
    await this.#removeFrom('ledger', (file) => !file.endsWith('.tmp'));
    await this.#removeFrom('.', (file) => !file.endsWith('.tmp'));
    const names = new Set([...damaged, ...packages.map(({ name }) => name)]);
    await this.#removeFrom('store', (name) => names.has(name));
    for (const { name, directory } of packages) {
      await this.#removeFrom(path.join('store', name), (entry) => entry === directory);
    }
  }

  async #removeFrom(directory: string, isKept: (entry: string) => boolean): Promise<void> {
    const absolute = path.join(this.#root, directory);
    for (const entry of await list(absolute)) {
      if (!isKept(entry)) await remove(path.join(absolute, entry));
    }
  }
}

async function list(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    // A package whose content is gone; the verification tells.
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}

async function remove(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
}

/** Puts the names in a directory, and in all below it, on the medium. */
async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(path.join(directory, entry.name));
  }
  await syncDirectory(directory);
}
