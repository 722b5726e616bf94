import { constants } from 'node:fs';
import { chmod, lchown, lutimes, mkdir, open, symlink } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory } from '../../base/atomic-file.ts';
import { CommandError } from '../command-error.ts';
import { damaged } from './tar-header.ts';
import type { TarEntry } from './tar-header.ts';

/** Who owns what on this machine, by the numbers of the machine that made the archive. */
export type ToOwner = (uid: number, gid: number) => { readonly uid: number; readonly gid: number };

/**
 * Unpacks entries into a folder that does not exist yet. Nothing is written outside: each entry lies in a directory that was
 * unpacked before, and no name comes twice.
 */
export class Unpacking {
  readonly #folder: string;
  readonly #toOwner: ToOwner;
  readonly #signal: AbortSignal;
  readonly #names = new Set<string>();
  readonly #directories = new Map<string, TarEntry>();

  constructor(folder: string, toOwner: ToOwner, signal: AbortSignal) {
    this.#folder = folder;
    this.#toOwner = toOwner;
    this.#signal = signal;
  }

  /**
   * Unpacks one entry.
   *
   * @param relative its path below the folder; empty for the folder itself, which has to come first
   * @throws {ArchiveError} `ARCHIVE_INVALID` when it has no place
   * @throws the error of the file system
   */
  async add(relative: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
    this.#signal.throwIfAborted();
    const parent = path.posix.dirname(relative);
    const hasPlace = relative === '' || this.#directories.has(parent === '.' ? '' : parent);
    if (!hasPlace || this.#names.has(relative) || (relative === '' && entry.type !== 'DIRECTORY')) {
      throw damaged(`${entry.name} has no place in it`);
    }
    this.#names.add(relative);
    const file = path.join(this.#folder, relative);
    if (entry.type === 'DIRECTORY') {
      await mkdir(file, { mode: 0o700 });
      this.#directories.set(relative, entry);
    } else if (entry.type === 'LINK') {
      await symlink(entry.target, file);
      await this.#setFacts(file, entry);
    } else await this.#write(file, entry, content);
  }

  /** Gives directories their owner and mode, which may forbid to add to them, and waits until all is on the disk. */
  async finish(): Promise<void> {
    for (const [relative, entry] of [...this.#directories].toReversed()) {
      const file = path.join(this.#folder, relative);
      await syncDirectory(file);
      await this.#setFacts(file, entry);
    }
  }

  async #write(file: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
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
    await this.#setFacts(file, entry);
  }

  async #setFacts(file: string, entry: TarEntry): Promise<void> {
    const { uid, gid } = this.#toOwner(entry.uid, entry.gid);
    if (uid !== process.geteuid?.() || gid !== process.getegid?.()) await this.#setOwner(file, uid, gid);
    // A change of the owner takes special bits away (chown(2)).
    if (entry.type !== 'LINK') await chmod(file, entry.mode);
    await lutimes(file, entry.mtimeSeconds, entry.mtimeSeconds);
  }

  async #setOwner(file: string, uid: number, gid: number): Promise<void> {
    try {
      await lchown(file, uid, gid);
    } catch (cause) {
      const detail = 'files cannot be given to their owners; run this as root';
      throw new CommandError({ code: 'OWNER_REFUSED', detail, cause });
    }
  }
}
