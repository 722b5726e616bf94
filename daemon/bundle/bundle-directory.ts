import { mkdir, opendir } from 'node:fs/promises';
import path from 'node:path';

import type { Bundle } from './bundle.ts';
import { BundleError } from './bundle-error.ts';

/** Maximum number of files and directories in the content, and in the data, of a bundle. */
export const MAXIMUM_ENTRIES = 20_000;

/**
 * Checks that the directories of a bundle contain no links, which the permission model would follow out of them. Creates the
 * data directory when it is missing.
 *
 * @returns absolute path of the main module
 * @throws {BundleError} `BUNDLE_DIRECTORY_UNSAFE` for anything but files and directories, or more than `MAXIMUM_ENTRIES` of
 *   them; `BUNDLE_NOT_STARTABLE` when the bundle names no main module inside its directory
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
