import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { describeFileFault } from '../base/file-fault.ts';
import { MAXIMUM_ENTRIES, MAXIMUM_UNPACKED_BYTES } from './zip-directory.ts';
import { PackagingError } from './deployment-error.ts';
import type { ArchiveFile } from './zip-writer.ts';

/**
 * Reads every file below a folder.
 *
 * @returns the files in the order of their paths, which are relative to the folder, with `/`
 * @throws {PackagingError} `FOLDER_UNREADABLE`; `FOLDER_UNSUITABLE` for links and devices, which an archive cannot hold, and
 *   for more files or bytes than a package may hold
 */
export async function readFolder(folder: string): Promise<readonly ArchiveFile[]> {
  const names = await listNames(folder);
  const files: ArchiveFile[] = [];
  let bytes = 0;
  for (const name of names) {
    const file = path.join(folder, name);
    bytes += (await attempt(file, () => stat(file))).size;
    if (bytes > MAXIMUM_UNPACKED_BYTES) {
      throw unsuitable(`${folder} holds more than the ${MAXIMUM_UNPACKED_BYTES} bytes of a package`);
    }
    files.push({ name, content: await attempt(file, () => readFile(file)) });
  }
  return files;
}

async function listNames(folder: string): Promise<readonly string[]> {
  const entries = await attempt(folder, () => readdir(folder, { recursive: true, withFileTypes: true }));
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (odd !== undefined) {
    throw unsuitable(`${path.join(odd.parentPath, odd.name)} is neither a file nor a folder`);
  }
  const files = entries.filter((entry) => entry.isFile());
  if (files.length > MAXIMUM_ENTRIES) throw unsuitable(`${folder} holds more than ${MAXIMUM_ENTRIES} files`);
  return files
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    .sort((a, b) => (a < b ? -1 : 1));
}

async function attempt<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const detail = `${file} cannot be read: ${describeFileFault(cause, 'this user')}`;
    throw new PackagingError({ code: 'FOLDER_UNREADABLE', detail, cause });
  }
}

function unsuitable(detail: string): PackagingError {
  return new PackagingError({ code: 'FOLDER_UNSUITABLE', detail });
}
