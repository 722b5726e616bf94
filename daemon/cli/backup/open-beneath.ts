import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { O_PATH } from '../../base/file/open-flags.ts';
import { CommandError } from '../command-error.ts';

/** A listed entry no longer exists, or was replaced. */
export class EntryVanished extends Error {}

const DIRECTORY_FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
// A pipe in place of a file must not block the backup.
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
// Errors of opening an entry that was replaced by another type (open(2)).
const REPLACED = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR', 'EINVAL']);

/**
 * Opens a regular file below a directory without following links, even if another process creates one at the same time.
 *
 * @throws {EntryVanished} if it is not a regular file, or does not exist
 * @throws {CommandError} `FILE_UNREADABLE`
 */
export async function openFileBeneath(folder: string, relative: string): Promise<FileHandle> {
  const handle = await openBeneath(folder, relative, FILE_FLAGS);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new EntryVanished(`${path.join(folder, relative)} is no file any more`);
}

/** Opens a directory itself or one below it, for access to its entries; see {@link openFileBeneath}. */
export function openDirectoryBeneath(folder: string, relative: string): Promise<FileHandle> {
  return openBeneath(folder, relative, DIRECTORY_FLAGS);
}

/** Returns the path of an entry of an open directory, independent of the current name of the directory. */
export function inDirectory({ fd }: FileHandle, name = ''): string {
  return path.join(`/proc/self/fd/${fd}`, name);
}

async function openBeneath(folder: string, relative: string, flags: number): Promise<FileHandle> {
  const parts = relative.split('/').filter((part) => part !== '');
  try {
    // The folder itself is the administrator's, and may be a link.
    let handle = await open(folder, O_PATH | constants.O_DIRECTORY);
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1;
      await using around = handle;
      handle = await open(inDirectory(around, part), isLast ? flags : DIRECTORY_FLAGS);
    }
    return handle;
  } catch (error) {
    throw toReadError(error, path.join(folder, relative));
  }
}

/**
 * Converts a file system error for a backup.
 *
 * @returns {@link EntryVanished} for missing or replaced entries, `CommandError` `FILE_UNREADABLE` for unreadable ones; other
 *   errors unchanged
 */
export function toReadError(error: unknown, file: string): unknown {
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  if (syscall === undefined) return error;
  if (REPLACED.has(String(code))) return new EntryVanished(`${file} vanished`);
  const hint = ['EACCES', 'EPERM'].includes(String(code)) ? '; run this as root' : '';
  const detail = `${file} cannot be read: ${String(code)}${hint}`;
  return new CommandError({ code: 'FILE_UNREADABLE', detail, cause: error });
}
