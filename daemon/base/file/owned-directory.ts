import { chmod, constants, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { O_PATH } from './open-flags.ts';

const ALL_OF_OWNER = 0o700;

/**
 * Opens a directory in any state left by a program, so that its entries can be listed, removed and moved: its owner is granted
 * all rights to it. Links are not followed.
 *
 * Paths below `pathOf` are short at any depth, and stay in this directory even if it is renamed.
 *
 * @param directory path; a `Buffer` for names that are not UTF-8
 * @throws a system error: `ENOTDIR` for anything but a directory, links included
 */
export async function openOwnedDirectory(directory: string | Buffer): Promise<FileHandle> {
  // Not for reading, which its mode may not allow.
  const handle = await open(directory, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { mode } = await handle.stat();
    // Through the descriptor: the name could be a link by now.
    if ((mode & ALL_OF_OWNER) !== ALL_OF_OWNER) await chmod(pathOf(handle), ALL_OF_OWNER);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Returns a path to an open directory, or to an entry in it (proc_pid_fd(5)). */
export function pathOf({ fd }: FileHandle, entry?: Buffer): Buffer {
  const directory = Buffer.from(`/proc/self/fd/${fd}/`);
  return entry === undefined ? directory : Buffer.concat([directory, entry]);
}
