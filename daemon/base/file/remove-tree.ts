import { randomBytes } from 'node:crypto';
import { opendir, rename, rmdir, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { openOwnedDirectory, pathOf } from './owned-directory.ts';

/** An entry that could not be removed. */
export interface RemovalFailure {
  /** Name of the entry, without its directories; bytes that are not UTF-8 are replaced. */
  readonly name: string;
  /** Code of the system error, for example `EPERM`. */
  readonly code: string;
}

/** Names read from a directory at once, so that a directory of any size takes little memory. */
const BATCH = 1000;
const AT_ONCE = 8;
/** Failures after which a directory is left; only a file system that refuses everything reaches it. */
const MAXIMUM_FAILURES = 1000;

/**
 * Removes a file, or a directory with everything in it, in any state left by a program: directories without rights,
 * paths longer than the system allows, names that are not UTF-8, a hundred thousand entries, devices, pipes and sockets. Links are
 * removed and never followed. Stack, memory and descriptors are bounded.
 *
 * Directories below the first level are moved up to it before they are emptied, which keeps every path short. An interrupted removal
 * can be repeated.
 *
 * @param target absolute path; nothing is done if it does not exist
 * @param signal ends the removal early
 * @returns the remaining entries that could not be removed; empty: nothing is left
 * @throws the reason of `signal` when it aborts
 */
export async function removeTree(target: string, signal?: AbortSignal): Promise<readonly RemovalFailure[]> {
  const removal = new TreeRemoval(signal);
  await removal.run(Buffer.from(target));
  return removal.failures;
}

class TreeRemoval {
  readonly failures: RemovalFailure[] = [];
  readonly #signal: AbortSignal | undefined;
  // Unique among all entries.
  readonly #prefix = randomBytes(8).toString('hex');
  #moved = 0;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  async run(target: Buffer): Promise<void> {
    await this.#remove(target, target, async () => {
      await this.#empty(target, (root, name) => this.#removeBelow(root, name));
    });
  }

  /** Removes an entry of the first level. */
  #removeBelow(root: FileHandle, name: Buffer): Promise<boolean> {
    const entry = pathOf(root, name);
    return this.#remove(entry, name, async () => {
      await this.#empty(entry, (directory, inner) => {
        const below = pathOf(directory, inner);
        return this.#attempt(inner, async () => {
          if (await unlinkUnlessDirectory(below)) return;
          const moved = Buffer.from(`${this.#prefix}-${(this.#moved += 1)}`);
          // Only an owner with write permission can move a directory.
          await (await openOwnedDirectory(below)).close();
          await rename(below, pathOf(root, moved));
        });
      });
    });
  }

  /** Removes an entry, a directory after `empty`; returns false if it remains. */
  #remove(entry: Buffer, name: Buffer, empty: () => Promise<void>): Promise<boolean> {
    return this.#attempt(name, async () => {
      if (await unlinkUnlessDirectory(entry)) return;
      await empty();
      await rmdir(entry);
    });
  }

  /** Empties a directory as far as possible. */
  async #empty(
    path: Buffer,
    remove: (directory: FileHandle, name: Buffer) => Promise<boolean>,
  ): Promise<void> {
    const directory = await openOwnedDirectory(path);
    try {
      const stuck = new Set<string>();
      for (;;) {
        const names = await readNames(directory, stuck);
        if (names.length === 0) return;
        for (let start = 0; start < names.length; start += AT_ONCE) {
          this.#signal?.throwIfAborted();
          await Promise.all(
            names.slice(start, start + AT_ONCE).map(async (name) => {
              if (!(await remove(directory, name))) stuck.add(name.toString('latin1'));
            }),
          );
        }
        if (stuck.size >= MAXIMUM_FAILURES) return;
      }
    } finally {
      await directory.close();
    }
  }

  async #attempt(name: Buffer, action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      this.#signal?.throwIfAborted();
      const { code } = error as { readonly code?: unknown };
      if (code === 'ENOENT') return true;
      // Remaining entries of a directory have been recorded already.
      const isUnexpected = code !== 'ENOTEMPTY' || this.failures.length === 0;
      if (isUnexpected && this.failures.length < MAXIMUM_FAILURES) {
        this.failures.push({ name: name.toString(), code: String(code) });
      }
      return false;
    }
  }
}

/** Removes anything but a directory; returns false for a directory. */
async function unlinkUnlessDirectory(entry: Buffer): Promise<boolean> {
  try {
    await unlink(entry);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EISDIR') return false;
    throw error;
  }
}

/** Reads some of the names in a directory, without those that cannot be removed. */
async function readNames(directory: FileHandle, stuck: ReadonlySet<string>): Promise<readonly Buffer[]> {
  const names: Buffer[] = [];
  const entries = await opendir(pathOf(directory), { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  for await (const { name } of entries) {
    // The types of Node.js do not know that the encoding is `buffer`.
    const bytes = name as unknown as Buffer;
    if (!stuck.has(bytes.toString('latin1'))) names.push(bytes);
    if (names.length >= BATCH) break;
  }
  return names;
}
