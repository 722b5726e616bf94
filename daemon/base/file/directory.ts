import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { GatewayError } from '../errors.ts';
import { describeFileFault } from './file-fault.ts';

/** A directory is missing and cannot be created. */
export class DirectoryError extends GatewayError {}

/**
 * Creates a directory and its missing parents for the owner only; an existing directory stays unchanged.
 *
 * The recursive form of `mkdir` never ends on a file system that reports a path below an existing directory as missing
 * and refuses to create it, as `/proc` does.
 *
 * @throws {DirectoryError} `DIRECTORY_UNAVAILABLE`
 */
export async function ensurePrivateDirectory(directory: string): Promise<void> {
  const absolute = path.resolve(directory);
  try {
    const missing = await listMissing(absolute);
    for (const each of missing) await makeUnlessPresent(each);
  } catch (cause) {
    const detail = `cannot create ${absolute}: ${describeFileFault(cause)}`;
    throw new DirectoryError({ code: 'DIRECTORY_UNAVAILABLE', detail, cause });
  }
}

/** Lists the missing directories on the path to this one, the topmost first. */
async function listMissing(absolute: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let each = absolute; !(await isDirectory(each)); each = path.dirname(each)) missing.unshift(each);
  return missing;
}

async function isDirectory(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return false;
    throw error;
  }
}

async function makeUnlessPresent(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    // Another process created it first, or a file has its name.
    if (!(await isDirectory(directory))) throw error;
  }
}
