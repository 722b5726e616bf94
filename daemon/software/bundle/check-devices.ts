import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';

import { BundleError } from './bundle-error.ts';

/** File types other than character devices, by the method that detects them. */
const OTHER_KINDS: readonly (readonly [is: (file: Stats) => boolean, name: string])[] = [
  [(file) => file.isBlockDevice(), 'a block device'],
  [(file) => file.isDirectory(), 'a directory'],
  [(file) => file.isFile(), 'a regular file'],
  [(file) => file.isFIFO(), 'a FIFO'],
  [(file) => file.isSocket(), 'a socket'],
];

/**
 * Checks that the devices of a bundle are character devices, after resolving links: a block device is a disk with the files of
 * all users. A missing device may be plugged in later.
 *
 * @param devices absolute paths
 * @throws {BundleError} `BUNDLE_DEVICE_UNSUITABLE` for the first one that is something else
 */
export async function checkDevices(devices: readonly string[]): Promise<void> {
  for (const device of devices) {
    const kind = await findOtherKind(device);
    if (kind === undefined) continue;
    throw new BundleError(
      'BUNDLE_DEVICE_UNSUITABLE',
      `Penstock-Permissions: ${device} is ${kind}, not a character device`,
    );
  }
}

async function findOtherKind(device: string): Promise<string | undefined> {
  let file: Stats;
  try {
    file = await stat(device);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return `out of reach (${String(code)})`;
  }
  if (file.isCharacterDevice()) return undefined;
  return OTHER_KINDS.find(([is]) => is(file))?.[1] ?? 'something else';
}
