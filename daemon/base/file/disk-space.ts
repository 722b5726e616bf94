import { statfs } from 'node:fs/promises';

/** The space of a file system, in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/**
 * Returns the space for files in a directory, as far as the user of the process may use it.
 *
 * @throws errors of the file system
 */
export async function measureDisk(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
