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

/** The data of a bundle that no package contains any more, and that could not be taken out of the way. */
type Leftover = z.infer<typeof leftoverSchema>;

interface PackageTrashOptions {
  readonly directory: string;
  /**
   * Called when files that an operation removes cannot be removed, and again when they are gone.
   *
   * @param leftover why; undefined: they are gone
   */
  readonly onLeftover: (operationId: string, leftover: string | undefined) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Interval at which the removal of files that cannot be removed is tried again, besides after each operation. */
export const RETRY_INTERVAL_MS = 3_600_000;
const MAXIMUM_LOGGED_FILES = 10;

/**
 * Takes files that are to be removed out of the way at once, and removes them in the background: no operation waits for them, or
 * fails because of them. What is left when the daemon ends is removed by the next one.
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
   * Moves a file or directory, in whatever state, to the trash; `empty` removes it.
   *
   * @param origin id of the operation that removes it, or another name for the log
   * @throws a system error when it cannot be moved; it stays where it was then
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

  /** Removes everything in the trash, without waiting; what cannot be removed is reported and tried again later. */
  empty(): void {
    this.#isRequested = true;
    if (!this.#stopping.signal.aborted) this.#emptying ??= this.#emptyAll();
  }

  /** Ends the removal; the next run of the daemon goes on with it. */
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
    // In the same step as the last look: what is requested afterwards starts a removal of its own.
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

/** A directory can be moved only by an owner who may write to it. */
async function makeMovable(target: string): Promise<void> {
  try {
    await (await openOwnedDirectory(target)).close();
  } catch (error) {
    // Anything but a directory, and a link, is moved as it is.
    if ((error as { code?: unknown }).code !== 'ENOTDIR') throw error;
  }
}

function describeLeftover(failures: readonly RemovalFailure[]): string {
  const [{ name, code } = { name: '', code: '' }] = failures;
  const more = failures.length === 1 ? '' : ` and ${failures.length - 1} more`;
  return `files of the package cannot be removed: ${name.slice(0, 100)} (${code})${more}; the gateway retries`;
}

/** Remembers the data directories that are still to be removed, in a file that exists only while there are any. */
export class LeftoverData {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Lists what is to be removed; a file that cannot be read counts as empty. */
  async list(): Promise<readonly Leftover[]> {
    const read = await readChecksummedFile(this.#file, z.array(leftoverSchema));
    return read.state === 'INTACT' ? read.value : [];
  }

  /** Adds the data of a bundle; the file is synced when this resolves. */
  async add(leftover: Leftover): Promise<void> {
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
