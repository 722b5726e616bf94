import { constants } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { DeploymentError } from '../package/deployment-error.ts';
import type { IncomingContent } from './incoming-content.ts';

/**
 * Opens a package that is a regular file below one of the directories, after resolving links.
 *
 * @throws {DeploymentError} `OTHER_ERROR`, the same for a file outside of the directories whether it exists or not
 */
export async function openPackageFile(
  url: URL,
  directories: readonly string[],
  signal: AbortSignal,
): Promise<IncomingContent> {
  const handle = await openFile(url);
  try {
    // The path of the open file: the name could lead to another file by now.
    const actual = await readlink(`/proc/self/fd/${handle.fd}`);
    const isAllowed = (await listRealPaths(directories)).some((directory) => isBelow(actual, directory));
    const { size } = await handle.stat();
    if (!isAllowed || !(await handle.stat()).isFile()) throw refuse();
    signal.throwIfAborted();
    const chunks = handle.createReadStream({ signal });
    // The reader sees an abort; without a listener an abort before the first read would end the process.
    chunks.on('error', () => undefined);
    return { chunks, sizeBytes: size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openFile(url: URL): Promise<FileHandle> {
  try {
    // Opening a pipe or device must not block until its other end is open.
    return await open(fileURLToPath(url), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (cause) {
    throw refuse(cause);
  }
}

async function listRealPaths(directories: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(directories.map((directory) => realpath(directory).catch(() => undefined)));
  return found.filter((directory) => directory !== undefined);
}

function isBelow(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '' && relative !== '..' && !relative.startsWith('../');
}

function refuse(cause?: unknown): DeploymentError {
  const detail =
    'the URL is not that of a readable file below a directory of deployment.fileSourceDirectories';
  return new DeploymentError('OTHER_ERROR', detail, cause);
}
