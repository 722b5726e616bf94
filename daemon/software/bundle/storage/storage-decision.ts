import type { StorageUsage } from './storage-usage.ts';

/** Storage quota of a bundle. */
export interface StorageLimits {
  readonly bytes: number;
  readonly entries: number;
}

/**
 * `FREE`: the bundle may write. `FULL`: it may only delete. `EXCEEDED`: it is stopped, because it still exceeds the limit, has too
 * many entries, or hides some.
 */
export type StorageState = 'FREE' | 'FULL' | 'EXCEEDED';

// Hysteresis: a bundle that has deleted a little must not alternate between both states.
const FREE_AGAIN = 0.9;
// A fast writer exceeds the limit before the next measurement stops it; one far beyond writes to fill the disk.
const TOLERANCE = 4;

/**
 * Decides what a bundle may do with its storage.
 *
 * @param current the state until now
 */
export function decideStorage(
  { bytes, entries, unreadable }: StorageUsage,
  limits: StorageLimits,
  current: StorageState,
): StorageState {
  if (unreadable !== undefined || entries > limits.entries || bytes > TOLERANCE * limits.bytes) {
    return 'EXCEEDED';
  }
  const threshold = current === 'FREE' ? limits.bytes : FREE_AGAIN * limits.bytes;
  return bytes < threshold ? 'FREE' : 'FULL';
}

/** Returns the reason why the storage of a bundle is exceeded. */
export function describeExcess({ entries, unreadable }: StorageUsage, limits: StorageLimits): string {
  if (unreadable !== undefined) return `the data of the bundle cannot be measured: ${unreadable}`;
  if (entries > limits.entries) return `the bundle stores more than ${limits.entries} files and directories`;
  return `the bundle stores more than ${limits.bytes} bytes`;
}
