import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory } from '../../base/file/atomic-file.ts';
import { ensurePrivateDirectory } from '../../base/file/directory.ts';
import { measureDisk } from '../../base/file/disk-space.ts';
import { GatewayError } from '../../base/errors.ts';
import { describeFileFault } from '../../base/file/file-fault.ts';
import type { InstalledPackage } from './installed-package.ts';
import { PendingDeletions, PackageTrash } from './package-trash.ts';
import type { InstalledPackages } from './installed-package-store.ts';
import { contentDirectoryOf, recordDirectoryOf } from './installed-package-store.ts';

type PackageStoreOptions = Omit<ConstructorParameters<typeof PackageTrash>[0], 'directory'> & {
  /** Removes bundle data that only the launcher can access. */
  readonly removeStoredData: (symbolicName: string) => Promise<void>;
};

/**
 * Manages the directories of packages.
 *
 * - `ledger`: a record of each installed package
 * - `journal.json`: the change in progress
 * - `spool`: received packages
 * - `staging`: packages that are being unpacked; empty unless an operation runs
 * - `store/<package>/<version>-<operation>`: installed content
 * - `data/<bundle>`: files that a bundle writes, unless its launcher stores them
 * - `trash`: files that are being removed
 * - `leftover.json`: data of removed bundles that could not be moved to the trash; exists only then
 */
export class PackageStore {
  /** Removes discarded files. */
  readonly trash: PackageTrash;
  readonly #root: string;
  readonly #leftovers: PendingDeletions;
  readonly #options: PackageStoreOptions;

  constructor(root: string, options: PackageStoreOptions) {
    this.#root = root;
    this.#options = options;
    this.trash = new PackageTrash({ ...options, directory: path.join(root, 'trash') });
    this.#leftovers = new PendingDeletions(path.join(root, 'leftover.json'));
  }

  get recordDirectory(): string {
    return recordDirectoryOf(this.#root);
  }

  get journalFile(): string {
    return path.join(this.#root, 'journal.json');
  }

  /** Creates the directories that are missing. */
  async prepare(): Promise<void> {
    for (const name of ['ledger', 'spool', 'staging', 'store', 'data', 'trash']) {
      await ensurePrivateDirectory(path.join(this.#root, name));
    }
    await syncDirectory(this.#root);
  }

  /** Returns the path of the file of a received package. */
  spoolFile(operationId: string): string {
    return path.join(this.#root, 'spool', `${operationId}.dp`);
  }

  /** Returns the path of the directory in which a package is unpacked. */
  stagingDirectory(operationId: string): string {
    return path.join(this.#root, 'staging', operationId);
  }

  /** Returns the directory of the content of an installed package. */
  contentDirectory(record: Pick<InstalledPackage, 'name' | 'directory'>): string {
    return contentDirectoryOf(this.#root, record);
  }

  /** Returns the path of a file or directory of an installed package. */
  contentFile(record: InstalledPackage, location: string): string {
    return path.join(this.contentDirectory(record), location);
  }

  /** Returns the directory that a bundle may write to. */
  dataDirectory(symbolicName: string): string {
    return path.join(this.#root, 'data', symbolicName);
  }

  /** Returns the free bytes of the file system. */
  async countFreeBytes(): Promise<number> {
    return (await measureDisk(this.#root)).freeBytes;
  }

  /** Moves unpacked content to the store; every directory is synced when this resolves. */
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

  /**
   * Removes the files that a bundle wrote, or stores their deletion for a retry; either is synced when this resolves.
   *
   * @param operationId the operation that removes the bundle
   */
  async removeData(symbolicName: string, operationId: string): Promise<void> {
    try {
      await this.#takeData(symbolicName, operationId);
    } catch (error) {
      await this.#leftovers.add({ bundle: symbolicName, operationId });
      this.#options.logger.error('package.dataNotDeleted', { operationId, bundle: symbolicName, error });
      const reason = error instanceof GatewayError ? error.detail : describeFileFault(error);
      const detail = `the data of ${symbolicName} cannot be removed: ${reason}; the gateway retries`;
      this.#options.onLeftover(operationId, detail);
    }
  }

  /** Retries pending deletions of bundle data. */
  async retryLeftovers(installedBundles: ReadonlySet<string>): Promise<void> {
    for (const { bundle, operationId } of await this.#leftovers.list()) {
      try {
        // They belong to a bundle that was installed again.
        if (!installedBundles.has(bundle)) await this.#takeData(bundle, operationId);
        await this.#leftovers.remove(bundle);
        this.#options.onLeftover(operationId, undefined);
      } catch {
        // It was reported the first time.
      }
    }
  }

  /** Removes the directory in which a package was unpacked, if it exists. */
  async discardStaging(operationId: string): Promise<void> {
    await this.#discard(this.stagingDirectory(operationId));
  }

  /**
   * Removes everything that belongs to no installed package: remains of failed changes and of replaced versions. Packages whose
   * record cannot be read retain all their files.
   *
   * @param keptIds ids of the spooled packages that are still needed
   */
  async sweep({ packages, damaged }: InstalledPackages, keptIds: ReadonlySet<string>): Promise<void> {
    await this.#removeFrom('staging', () => false);
    await this.#removeFrom('spool', (file) => keptIds.has(path.basename(file, '.dp')));
    // Temporary files of interrupted writes.
    await this.#removeFrom('ledger', (file) => !file.endsWith('.tmp'));
    await this.#removeFrom('.', (file) => !file.endsWith('.tmp'));
    const names = new Set([...damaged, ...packages.map(({ name }) => name)]);
    await this.#removeFrom('store', (name) => names.has(name));
    for (const { name, directory } of packages) {
      await this.#removeFrom(path.join('store', name), (entry) => entry === directory);
    }
  }

  async #takeData(symbolicName: string, operationId: string): Promise<void> {
    const directory = this.dataDirectory(symbolicName);
    await this.trash.take(directory, operationId);
    await syncDirectory(path.dirname(directory));
    await this.#options.removeStoredData(symbolicName);
  }

  /** Removes a file that is not needed. A failure is only logged: the next operation retries. */
  async #discard(target: string): Promise<void> {
    try {
      await this.trash.take(target, 'discarded');
    } catch (error) {
      this.#options.logger.warn('package.filesNotDiscarded', {
        path: path.relative(this.#root, target),
        error,
      });
    }
  }

  async #removeFrom(directory: string, isKept: (entry: string) => boolean): Promise<void> {
    const absolute = path.join(this.#root, directory);
    for (const entry of await list(absolute)) {
      if (!isKept(entry)) await this.#discard(path.join(absolute, entry));
    }
  }
}

async function list(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    // The content of the package is missing; the verification reports it.
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}

/** Syncs a directory and every directory below it. */
async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(path.join(directory, entry.name));
  }
  await syncDirectory(directory);
}
