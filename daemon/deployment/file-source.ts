import { realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { openRegularFile } from '../base/regular-file.ts';
import { DeploymentError } from '../package/deployment-error.ts';
import type { IncomingContent } from './incoming-content.ts';

/**
 * Opens a package that is a regular file below one of the directories, after resolving links. Nothing else is opened.
 *
 * @throws {DeploymentError} `OTHER_ERROR`, the same for a file outside of the directories whether it exists or not
 */
export async function openPackageFile(
  url: URL,
  directories: readonly string[],
  signal: AbortSignal,
): Promise<IncomingContent> {
  const handle = await openFile(url, directories);
  try {
    const { size } = await handle.stat();
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

async function openFile(url: URL, directories: readonly string[]): Promise<FileHandle> {
  const isAllowed = async (actual: string): Promise<boolean> =>
    (await listRealPaths(directories)).some((directory) => isBelow(actual, directory));
  try {
    return await openRegularFile(fileURLToPath(url), isAllowed);
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
