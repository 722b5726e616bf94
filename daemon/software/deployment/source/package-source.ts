import { realpath } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Clock } from '../../../base/clock.ts';
import { DeploymentError } from '../../package/deployment-error.ts';
import type { DeploymentSettings } from '../deployment-settings.ts';
import { openDownload } from './download.ts';
import type { IncomingContent } from './download.ts';
import { PackageTooLarge, writeSpoolFile } from './spool-file.ts';
import { readPieces } from '../../../base/file/file-pieces.ts';
import { openRegularFile } from '../../../base/file/regular-file.ts';

interface PackageFetch {
  /** A URL that `parsePackageUrl` accepts. */
  readonly url: string;
  /** Path of a file that does not exist. */
  readonly file: string;
  readonly settings: DeploymentSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with the part received so far, 0 to 1, where the size is known. */
  readonly onProgress: (done: number) => void;
}

/**
 * Copies a package from its source to a new file, which is synced when this resolves and absent when this rejects.
 *
 * @returns SHA-256 of the package, lower-case hexadecimal
 * @throws {DeploymentError} `OTHER_ERROR` when it is missing, too large, or its source not allowed; `TIMEOUT`
 */
export async function fetchPackage({ url, file, settings, ...parts }: PackageFetch): Promise<string> {
  const { clock, signal, onProgress } = parts;
  const parsed = new URL(url);
  const { chunks, sizeBytes } =
    parsed.protocol === 'file:'
      ? await openPackageFile(parsed, settings.fileSourceDirectories, signal)
      : await openDownload(parsed, clock, signal);
  try {
    const spooled = await writeSpoolFile(chunks, file, settings.maximumPackageBytes, (received) => {
      if (sizeBytes !== undefined) onProgress(received / sizeBytes);
    });
    return spooled.sha256;
  } catch (error) {
    if (error instanceof PackageTooLarge) throw new DeploymentError('OTHER_ERROR', error.detail, error);
    throw error;
  }
}

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
    return { chunks: readPieces(handle, signal), sizeBytes: size };
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
