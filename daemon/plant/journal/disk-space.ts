import { statfs } from 'node:fs/promises';

// Room that has to be free above the reserve before recording goes on.
const RESUME_BYTES = 16 * 1024 * 1024;
const RESUME_SHARE = 0.05;

/** The space of a file system, in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Returns the space for files in a directory, as far as the user of the process may use it. */
export async function measureDisk(directory: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/**
 * Returns true if the disk has room for recording: more than the reserve, and after it was full so much more that recording
 * does not stop again at once.
 */
export function hasRoom(disk: DiskSpace, reservedBytes: number, wasFull: boolean): boolean {
  const margin = wasFull ? Math.min(RESUME_BYTES, disk.totalBytes * RESUME_SHARE) : 0;
  return disk.freeBytes >= reservedBytes + margin;
}
