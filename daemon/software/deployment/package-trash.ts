import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Cancel, Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { openOwnedDirectory } from '../../base/file/owned-directory.ts';
import { removeTree } from '../../base/file/remove-tree.ts';
import type { RemovalFailure } from '../../base/file/remove-tree.ts';
import { readChecksummedFile, writeChecksummedFile } from '../../base/file/checksummed-file.ts';
import { z } from '../../base/schema.ts';

const leftoverSchema = z.strictObject({
  /** Symbolic name of the bundle that wrote the data. */
  bundle: z.string(),
  /** The operation that removed the bundle. */
  operationId: z.string(),
});

/** Data of a removed bundle that could not be moved to the trash. */
type PendingDeletion = z.infer<typeof leftoverSchema>;

interface PackageTrashOptions {
  readonly directory: string;
  /**
   * Called if files of an operation cannot be removed, and again when they are gone.
   *
   * @param leftover reason; undefined: they are gone
   */
  readonly onLeftover: (operationId: string, leftover: string | undefined) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Interval between retries of failed removals, in addition to a retry after each operation. */
export const RETRY_INTERVAL_MS = 3_600_000;
const MAXIMUM_LOGGED_FILES = 10;

/**
 * Moves files to the trash at once and removes them in the background, so that no operation waits for them or fails because of
 * them. The next run of the daemon removes the rest.
 */
export class PackageTrash {
  readonly #options: PackageTrashOptions;
  readonly #stopping = new AbortController();
  /** Names of the entries that could not be removed and were reported. */
  readonly #reported = new Set<string>();
  #emptying: Promise<void> | undefined;
  #isRequested = false;
  #cancelRetry: Cancel | undefined;

  constructor(options: PackageTrashOptions) {
    this.#options = options;
  }

  /**
   * Moves a file or directory to the trash; `empty` removes it.
   *
   * @param origin id of the operation that removes it, or another name for the log
   * @throws a system error if it cannot be moved; it then stays in its location
   */
  async take(target: string, origin: string): Promise<void> {
    const { directory } = this.#options;
    try {
      await makeMovable(target);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await rename(target, path.join(directory, `${origin}.${randomBytes(6).toString('hex')}`));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    }
  }

  /** Removes everything in the trash, without waiting; failures are reported and retried later. */
  empty(): void {
    this.#isRequested = true;
    if (!this.#stopping.signal.aborted) this.#emptying ??= this.#emptyAll();
  }

  /** Stops the removal; the next run of the daemon continues it. */
  async stop(): Promise<void> {
    this.#cancelRetry?.();
    this.#stopping.abort(new Error('the gateway stops'));
    await this.#emptying;
  }

  async #emptyAll(): Promise<void> {
    const { directory, clock, logger } = this.#options;
    this.#cancelRetry?.();
    while (this.#isRequested && !this.#stopping.signal.aborted) {
      this.#isRequested = false;
      try {
        for (const name of await readdir(directory)) await this.#remove(name);
      } catch (error) {
        const { code } = error as { readonly code?: unknown };
        if (!this.#stopping.signal.aborted && code !== 'ENOENT')
          logger.warn('package.trashNotRead', { error });
      }
    }
    // Synchronous with the last check: a later request starts a new removal.
    this.#emptying = undefined;
    if (this.#stopping.signal.aborted || this.#reported.size === 0) return;
    this.#cancelRetry = clock.schedule(RETRY_INTERVAL_MS, () => this.empty());
  }

  async #remove(name: string): Promise<void> {
    const failures = await removeTree(path.join(this.#options.directory, name), this.#stopping.signal);
    const operationId = name.slice(0, name.lastIndexOf('.'));
    const { onLeftover, logger } = this.#options;
    if (failures.length === 0) {
      if (this.#reported.delete(name)) logger.info('package.filesDeleted', { operationId });
      // An earlier run of the daemon may have reported it.
      onLeftover(operationId, undefined);
      return;
    }
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    const files = failures.slice(0, MAXIMUM_LOGGED_FILES);
    logger.error('package.filesNotDeleted', { operationId, count: failures.length, files });
    onLeftover(operationId, describeLeftover(failures));
  }
}

/** Makes a directory movable: only an owner with write permission can move it. */
async function makeMovable(target: string): Promise<void> {
  try {
    await (await openOwnedDirectory(target)).close();
  } catch (error) {
    // Links and everything else but directories are moved unchanged.
    if ((error as { code?: unknown }).code !== 'ENOTDIR') throw error;
  }
}

function describeLeftover(failures: readonly RemovalFailure[]): string {
  const [{ name, code } = { name: '', code: '' }] = failures;
  const more = failures.length === 1 ? '' : ` and ${failures.length - 1} more`;
  return `files of the package cannot be removed: ${name.slice(0, 100)} (${code})${more}; the gateway retries`;
}

/** Stores the deletions of bundle data that must be retried, in a file that exists only while there are any. */
export class PendingDeletions {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Lists the pending deletions; an unreadable file counts as empty. */
  async list(): Promise<readonly PendingDeletion[]> {
    const read = await readChecksummedFile(this.#file, z.array(leftoverSchema));
    return read.state === 'INTACT' ? read.value : [];
  }

  /** Adds the data of a bundle; the file is synced when this resolves. */
  async add(leftover: PendingDeletion): Promise<void> {
    const others = (await this.list()).filter(({ bundle }) => bundle !== leftover.bundle);
    await writeChecksummedFile(this.#file, [...others, leftover]);
  }

  /** Removes the data of a bundle from the list. */
  async remove(removed: string): Promise<void> {
    const others = (await this.list()).filter(({ bundle }) => bundle !== removed);
    if (others.length === 0) await rm(this.#file, { force: true });
    else await writeChecksummedFile(this.#file, others);
  }
}
