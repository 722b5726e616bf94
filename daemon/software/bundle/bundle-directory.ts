import type { Dir } from 'node:fs';
import { chmod, lstat, mkdir, opendir } from 'node:fs/promises';
import path from 'node:path';

import type { Bundle } from './bundle.ts';
import { BundleError } from './bundle-error.ts';
import { findUnusablePath } from './storage/storage-usage.ts';

/** Maximum number of files and directories in the content, and in the data, of a bundle. */
export const MAXIMUM_ENTRIES = 20_000;

// Paths in the data of a bundle may be thousands of characters long.
const MAXIMUM_DETAIL_LENGTH = 300;

/**
 * Checks that the directories of a bundle contain no links, which the permission model would follow out of them. Creates the
 * data directory when it is missing.
 *
 * @returns absolute path of the main module
 * @throws {BundleError} `BUNDLE_DIRECTORY_UNSAFE` for anything but files and directories, or more than `MAXIMUM_ENTRIES` of
 *   them; `BUNDLE_NOT_STARTABLE` when the bundle names no main module inside its directory
 */
export async function prepareDirectories(bundle: Bundle): Promise<string> {
  const module = findMainModule(bundle);
  await mkdir(bundle.dataDirectory, { recursive: true, mode: 0o700 });
  await walk(bundle.directory);
  await walk(bundle.dataDirectory);
  return module;
}

/**
 * Checks the content of a bundle as `prepareDirectories` does, and makes it readable for other users: the bundle runs as one of
 * them. Only that user and the gateway can enter the parent directory.
 *
 * @returns absolute path of the main module
 * @throws {BundleError} as `prepareDirectories`
 */
export async function openContent(bundle: Bundle): Promise<string> {
  const module = findMainModule(bundle);
  await setMode(bundle.directory, 0o755);
  await walk(bundle.directory, (file, isDirectory) => setMode(file, isDirectory ? 0o755 : 0o644));
  return module;
}

async function setMode(file: string, mode: number): Promise<void> {
  if (((await lstat(file)).mode & 0o777) !== mode) await chmod(file, mode);
}

function findMainModule({ directory, main }: Bundle): string {
  const module = path.resolve(directory, main ?? '');
  if (main === undefined || !module.startsWith(`${path.resolve(directory)}/`)) {
    throw new BundleError('BUNDLE_NOT_STARTABLE', 'Penstock-Main does not name a module of the bundle');
  }
  return module;
}

async function walk(
  root: string,
  visit?: (file: string, isDirectory: boolean) => Promise<void>,
): Promise<void> {
  let entries = 0;
  const waiting = [root];
  for (;;) {
    const folder = waiting.pop();
    if (folder === undefined) return;
    for await (const entry of await open(root, folder)) {
      const file = path.join(folder, entry.name);
      entries += 1;
      if (entries > MAXIMUM_ENTRIES) throw unsafe(`it has more than ${MAXIMUM_ENTRIES} files`);
      if (!entry.isDirectory() && !entry.isFile()) throw unsafe(`${path.relative(root, file)} is no file`);
      await visit?.(file, entry.isDirectory());
      if (entry.isDirectory()) waiting.push(file);
    }
  }
}

async function open(root: string, folder: string): Promise<Dir> {
  try {
    return await opendir(folder);
  } catch (error) {
    const code = findUnusablePath(error);
    throw code === undefined ? error : unsafe(`${path.relative(root, folder)} cannot be read: ${code}`);
  }
}

function unsafe(detail: string): BundleError {
  return new BundleError('BUNDLE_DIRECTORY_UNSAFE', detail.slice(-MAXIMUM_DETAIL_LENGTH));
}
