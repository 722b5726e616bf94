import { mkdir, opendir } from 'node:fs/promises';
import path from 'node:path';

import type { Bundle } from './bundle.ts';
import { BundleError } from './bundle-error.ts';

/** Files and directories that a bundle may have, its own data included. */
export const MAXIMUM_ENTRIES = 20_000;

/**
 * Makes sure that what a bundle may read lies where it seems to lie: the permission model follows links out of it.
 *
 * The data directory is made when it is missing.
 *
 * @returns the main module as an absolute path
 * @throws {BundleError} `BUNDLE_DIRECTORY_UNSAFE` when there is anything but files and directories, or more than
 *   `MAXIMUM_ENTRIES` of them; `BUNDLE_NOT_STARTABLE` when the bundle names no main module inside it
 */
export async function prepareDirectories({ directory, dataDirectory, main }: Bundle): Promise<string> {
  const module = path.resolve(directory, main ?? '');
  if (main === undefined || !module.startsWith(`${path.resolve(directory)}/`)) {
    throw new BundleError('BUNDLE_NOT_STARTABLE', 'Penstock-Main names no module of the bundle');
  }
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  await checkTree(directory);
  await checkTree(dataDirectory);
  return module;
}

async function checkTree(root: string): Promise<void> {
  let entries = 0;
  const waiting = [root];
  for (;;) {
    const folder = waiting.pop();
    if (folder === undefined) return;
    for await (const entry of await opendir(folder)) {
      const file = path.join(folder, entry.name);
      entries += 1;
      if (entries > MAXIMUM_ENTRIES) throw unsafe(`it has more than ${MAXIMUM_ENTRIES} files`);
      if (entry.isDirectory()) waiting.push(file);
      else if (!entry.isFile()) throw unsafe(`${path.relative(root, file)} is no file`);
    }
  }
}

function unsafe(detail: string): BundleError {
  return new BundleError('BUNDLE_DIRECTORY_UNSAFE', detail);
}
