import type { DiskSpace } from '../../base/file/disk-space.ts';

// Room that has to be free above the reserve before recording goes on.
const RESUME_BYTES = 16 * 1024 * 1024;
const RESUME_SHARE = 0.05;

/**
 * Returns true if the disk has room for recording: more than the reserve, and after it was full so much more that recording
 * does not stop again at once.
 */
export function hasRoom(disk: DiskSpace, reservedBytes: number, wasFull: boolean): boolean {
  const margin = wasFull ? Math.min(RESUME_BYTES, disk.totalBytes * RESUME_SHARE) : 0;
  return disk.freeBytes >= reservedBytes + margin;
}
