import { constants } from 'node:fs';
import { chmod, lchown, lutimes, mkdir, open, symlink } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory } from '../../base/file/atomic-file.ts';
import { CommandError } from '../command-error.ts';
import { damaged } from './tar-archive.ts';
import type { TarEntry } from './tar-archive.ts';

/** Maps owner ids of the archive to those of this machine. */
export type ToOwner = (uid: number, gid: number) => { readonly uid: number; readonly gid: number };

/**
 * Unpacks entries into a new directory. Writes nothing outside: each entry is in a directory that was unpacked before, and
 * no name occurs twice.
 */
export class Unpacking {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #entries = new Map<string, TarEntry>();

  constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
  }

  /**
   * Unpacks one entry, readable only by its owner until the end.
   *
   * @param relative path below the directory; empty for the directory itself, which must come first
   * @throws {ArchiveError} `ARCHIVE_INVALID` without a parent directory, or for duplicates
   * @throws the error of the file system
   */
  async add(relative: string, entry: TarEntry, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#signal.throwIfAborted();
    const parent = path.posix.dirname(relative);
    const around = this.#entries.get(parent === '.' ? '' : parent);
    const hasPlace = relative === '' || around?.type === 'DIRECTORY';
    if (!hasPlace || this.#entries.has(relative) || (relative === '' && entry.type !== 'DIRECTORY')) {
      throw damaged(`${entry.name} has no place in it`);
    }
    this.#entries.set(relative, entry);
    const file = path.join(this.#folder, relative);
    if (entry.type === 'DIRECTORY') await mkdir(file, { mode: 0o700 });
    else if (entry.type === 'LINK') await symlink(entry.target, file);
    else await this.#write(file, content);
  }

  /**
   * Sets owner, mode and time of everything and flushes it to disk.
   *
   * @throws {CommandError} `OWNER_REFUSED`
   */
  async finish(toOwner: ToOwner): Promise<void> {
    // Directories after their content: their mode may forbid changes of it.
    for (const [relative, entry] of [...this.#entries].toReversed()) {
      const file = path.join(this.#folder, relative);
      if (entry.type === 'DIRECTORY') await syncDirectory(file);
      await setFacts(file, entry, toOwner);
    }
  }

  async #write(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(file, flags, 0o600);
    try {
      for await (const piece of content) {
        this.#signal.throwIfAborted();
        await handle.writeFile(piece);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

// A file of a backup must not run as its owner (inode(7)).
const SET_ID_BITS = 0o6000;

async function setFacts(file: string, entry: TarEntry, toOwner: ToOwner): Promise<void> {
  const { uid, gid } = toOwner(entry.uid, entry.gid);
  if (uid !== process.geteuid?.() || gid !== process.getegid?.()) await setOwner(file, uid, gid);
  // A change of the owner clears special bits (chown(2)).
  if (entry.type !== 'LINK') await chmod(file, entry.mode & ~SET_ID_BITS);
  await lutimes(file, entry.mtimeSeconds, entry.mtimeSeconds);
}

async function setOwner(file: string, uid: number, gid: number): Promise<void> {
  try {
    await lchown(file, uid, gid);
  } catch (cause) {
    const detail = 'cannot set the owner of files; run this as root';
    throw new CommandError({ code: 'OWNER_REFUSED', detail, cause });
  }
}
