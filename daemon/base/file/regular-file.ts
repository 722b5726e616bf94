import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { O_PATH } from './open-flags.ts';

// A lease or a network file system can still block it.
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** A path does not lead to a regular file; `code` as the system reports it. */
class NotRegular extends Error {
  readonly code: 'EISDIR' | 'ENXIO';
  readonly syscall = 'open';

  constructor(file: string, code: NotRegular['code']) {
    super(`${code}: not a regular file, '${file}'`);
    this.code = code;
  }
}

/**
 * Opens a regular file for reading. Anything else is refused without being opened: opening a pipe waits for its other end,
 * and opening a device can start it.
 *
 * @param isAllowed receives the resolved path before the file is opened; false: refused as if it were not a regular file
 * @throws the error of the system; with the code `EISDIR` for a directory, `ENXIO` for pipes, sockets and devices
 */
export async function openRegularFile(
  file: string,
  isAllowed: (actual: string) => Promise<boolean> = () => Promise.resolve(true),
): Promise<FileHandle> {
  await using place = await open(file, O_PATH);
  const link = `/proc/self/fd/${place.fd}`;
  const stats = await place.stat();
  if (stats.isDirectory()) throw new NotRegular(file, 'EISDIR');
  if (!stats.isFile() || !(await isAllowed(await readlink(link)))) throw new NotRegular(file, 'ENXIO');
  try {
    // The file that was checked: the name could lead to another one by now.
    return await open(link, READ_FLAGS);
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replace(link, file);
    throw error;
  }
}

/**
 * Reads a regular file.
 *
 * @throws as {@link openRegularFile} does
 */
export async function readRegularFile(file: string): Promise<Buffer> {
  await using handle = await openRegularFile(file);
  return await handle.readFile();
}
