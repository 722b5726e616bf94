import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

import { decodeUtf8 } from '../../base/text/plain-text.ts';
import { CommandError } from '../command-error.ts';
import type { LeftOutList } from './left-out.ts';
import {
  EntryVanished,
  inDirectory,
  openDirectoryBeneath,
  openFileBeneath,
  toReadError,
} from './open-beneath.ts';
import type { TarEntry } from './tar-archive.ts';
import type { TarItem } from './tar-writer.ts';

/** Directory to archive. */
export interface ArchivedFolder {
  /** Name in the archive. */
  readonly name: string;
  readonly directory: string;
  /** Subdirectory to start from. No part of it may be a link, unlike the path of the directory itself. */
  readonly start?: string;
  /** True: its content may change at any time, and unreadable entries are left out. */
  readonly isChanging?: boolean;
  /** Returns true if an entry belongs to the archive; `relative` is its path below the directory. */
  readonly isWanted: (relative: string) => boolean;
}

/** Entry with a stamp to detect later changes. */
export interface ListedEntry extends TarItem {
  readonly stamp: string;
}

// A path has at most 4,096 bytes (path_resolution(7)), including the target directory of a restore.
const MAXIMUM_NAME_BYTES = 3_840;

/**
 * Lists a directory tree, each directory before its content. Reads nothing outside, even if another process replaces a
 * directory by a link.
 *
 * @param leftOut receives omitted entries: pipes, sockets, devices, targets of links, and in a changing directory entries
 *   that cannot be read or restored
 * @returns empty if the directory does not exist
 * @throws {EntryVanished} if an entry vanishes in a directory that is not changing
 * @throws {CommandError} `NAME_INVALID` for a name that is not UTF-8, `FILE_UNREADABLE` for what may not be read, both in a folder
 *   that is not changing, and for the folder itself
 */
export async function listTree(
  folder: ArchivedFolder,
  leftOut: LeftOutList,
): Promise<readonly ListedEntry[]> {
  return new TreeWalk(folder, leftOut).run();
}

/**
 * Describes a single file below a folder.
 *
 * @param name its name in the archive
 * @throws {EntryVanished} if it does not exist
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function listFile(folder: string, relative: string, name: string): Promise<ListedEntry> {
  await using handle = await openFileBeneath(folder, relative);
  const stats = await handle.stat({ bigint: true });
  return {
    entry: { ...factsOf(name, stats), type: 'FILE', sizeBytes: Number(stats.size) },
    file: { folder, relative, isChanging: false },
    stamp: stampOf(name, stats),
  };
}

class TreeWalk {
  readonly #folder: ArchivedFolder;
  readonly #leftOut: LeftOutList;
  readonly #listed: ListedEntry[] = [];

  constructor(folder: ArchivedFolder, leftOut: LeftOutList) {
    this.#folder = folder;
    this.#leftOut = leftOut;
  }

  async run(): Promise<readonly ListedEntry[]> {
    try {
      await this.#listDirectory(this.#folder.start ?? '');
    } catch (error) {
      const isThere = !(error instanceof EntryVanished) || this.#listed.length > 0;
      if (isThere) throw toReadError(error, this.#folder.directory);
    }
    return this.#listed;
  }

  async #listDirectory(relative: string): Promise<void> {
    const { directory, isWanted } = this.#folder;
    const below: { readonly inner: string; readonly stats: BigIntStats; readonly target: string }[] = [];
    {
      await using handle = await openDirectoryBeneath(directory, relative);
      const stats = await handle.stat({ bigint: true });
      this.#add(relative, { type: 'DIRECTORY' }, stats);
      for (const bytes of await readdir(Buffer.from(inDirectory(handle)), { encoding: 'buffer' })) {
        const inner = this.#decode(relative, bytes);
        if (inner === undefined || !isWanted(inner)) continue;
        await this.#passOver(inner, async () => {
          const place = inDirectory(handle, path.posix.basename(inner));
          const found = await lstat(place, { bigint: true });
          below.push({ inner, stats: found, target: found.isSymbolicLink() ? await readlink(place) : '' });
        });
      }
    }
    // Without the handle: as deep as directories are, there is never more than one.
    for (const { inner, stats, target } of below) {
      if (stats.isDirectory()) await this.#passOver(inner, () => this.#listDirectory(inner));
      else this.#listOther(inner, stats, target);
    }
  }

  #listOther(relative: string, stats: BigIntStats, target: string): void {
    const { directory, isChanging = false } = this.#folder;
    if (stats.isFile()) {
      const file = { folder: directory, relative, isChanging };
      this.#add(relative, { type: 'FILE', sizeBytes: Number(stats.size) }, stats, { file });
      return;
    }
    const name = this.#nameOf(relative);
    if (stats.isSymbolicLink()) {
      this.#add(relative, { type: 'LINK', target }, stats);
      const leadsTo = path.resolve(path.dirname(path.join(directory, relative)), target);
      if (!leadsTo.startsWith(`${directory}/`)) this.#leftOut.add(name, 'LINK');
    } else if (stats.isFIFO()) this.#leftOut.add(name, 'PIPE');
    else this.#leftOut.add(name, stats.isSocket() ? 'SOCKET' : 'DEVICE');
  }

  #add(
    relative: string,
    own: Pick<TarEntry, 'type'> & Partial<TarEntry>,
    stats: BigIntStats,
    more = {},
  ): void {
    const name = this.#nameOf(relative);
    this.#listed.push({ entry: { ...factsOf(name, stats), ...own }, stamp: stampOf(name, stats), ...more });
  }

  /** Returns the path of an entry; undefined if it is left out. */
  #decode(relative: string, bytes: Buffer): string | undefined {
    const name = decodeUtf8(bytes);
    const shown = path.posix.join(relative, name ?? bytes.toString('latin1'));
    if (name !== undefined && Buffer.byteLength(this.#nameOf(shown)) <= MAXIMUM_NAME_BYTES) return shown;
    if (this.#folder.isChanging === true) {
      this.#leftOut.add(
        this.#nameOf(shown).slice(0, MAXIMUM_NAME_BYTES),
        name === undefined ? 'NAME_INVALID' : 'NAME_LONG',
      );
      return undefined;
    }
    const file = path.join(this.#folder.directory, relative);
    const fault = name === undefined ? 'a name that is not UTF-8' : 'a path that is too long';
    throw new CommandError({
      code: 'NAME_INVALID',
      detail: `${file} holds ${fault}: ${JSON.stringify(shown)}`,
    });
  }

  /** Examines an entry; in a changing directory a failure leaves it out. */
  async #passOver(relative: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (thrown) {
      const error = toReadError(thrown, path.join(this.#folder.directory, relative));
      if (this.#folder.isChanging !== true) throw error;
      this.#leftOut.add(this.#nameOf(relative), error instanceof EntryVanished ? 'VANISHED' : 'UNREADABLE');
    }
  }

  #nameOf(relative: string): string {
    return path.posix.join(this.#folder.name, relative);
  }
}

function factsOf(name: string, stats: BigIntStats): Omit<TarEntry, 'type'> {
  return {
    name,
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    sizeBytes: 0,
    mtimeSeconds: Number(stats.mtimeNs / 1_000_000_000n),
    target: '',
  };
}

/** Changes with content, name, owner and mode (inode(7)). */
function stampOf(name: string, stats: BigIntStats): string {
  return `${name}\0${stats.ino}\0${stats.ctimeNs}\0${stats.size}`;
}
