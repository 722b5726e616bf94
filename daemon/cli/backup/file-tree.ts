import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';

import { decodeUtf8 } from '../../base/plain-text.ts';
import { CommandError } from '../command-error.ts';
import { EntryVanished, inDirectory, openDirectoryBeneath } from './open-beneath.ts';
import type { TarItem } from './tar-writer.ts';

/** A folder that becomes part of an archive. */
export interface ArchivedFolder {
  /** Its name in the archive. */
  readonly name: string;
  readonly directory: string;
  /** What is in it may change at any time: what vanishes meanwhile is left out. */
  readonly isChanging?: boolean;
  /** Returns whether an entry belongs to the archive; `relative` is its path below the folder. */
  readonly isWanted: (relative: string) => boolean;
}

/** An entry, and what tells whether it has changed since. */
export interface ListedEntry extends TarItem {
  readonly stamp: string;
}

/**
 * Lists a folder and everything below, each directory before what is in it. Sockets, pipes and devices are left out; links
 * are not followed.
 *
 * @returns nothing when the folder does not exist
 * @throws {CommandError} `NAME_INVALID` for a name that is not UTF-8, `FILE_UNREADABLE` for what may not be read
 */
export async function listTree(folder: ArchivedFolder): Promise<readonly ListedEntry[]> {
  try {
    return await listEntry(folder, '');
  } catch (error) {
    if (error instanceof CommandError || error instanceof EntryVanished) throw error;
    const code = String((error as { readonly code?: unknown }).code);
    const hint = ['EACCES', 'EPERM'].includes(code) ? '; run this as root' : '';
    const detail = `${folder.directory} cannot be read: ${code}${hint}`;
    throw new CommandError({ code: 'FILE_UNREADABLE', detail, cause: error });
  }
}

async function listEntry(folder: ArchivedFolder, relative: string): Promise<readonly ListedEntry[]> {
  const file = path.join(folder.directory, relative);
  const stats = await findStats(file);
  if (stats === undefined) {
    if (relative === '' || folder.isChanging === true) return [];
    throw new EntryVanished(`${file} vanished`);
  }
  const own = await describe(folder, relative, stats);
  if (own === undefined) return [];
  if (!stats.isDirectory()) return [own];
  const below: ListedEntry[] = [];
  for (const bytes of await listNames(folder, relative)) {
    const name = decodeUtf8(bytes);
    if (name === undefined) {
      const detail = `${file} holds a name that is not UTF-8: ${JSON.stringify(bytes.toString('latin1'))}`;
      throw new CommandError({ code: 'NAME_INVALID', detail });
    }
    const inner = path.posix.join(relative, name);
    if (folder.isWanted(inner)) below.push(...(await listEntry(folder, inner)));
  }
  return [own, ...below];
}

async function listNames(
  { directory, isChanging }: ArchivedFolder,
  relative: string,
): Promise<readonly Buffer[]> {
  try {
    await using handle = await openDirectoryBeneath(directory, relative);
    return await readdir(Buffer.from(inDirectory(handle)), { encoding: 'buffer' });
  } catch (error) {
    if (isChanging === true && error instanceof EntryVanished) return [];
    throw error;
  }
}

async function findStats(file: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(file, { bigint: true });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function describe(
  folder: ArchivedFolder,
  relative: string,
  stats: BigIntStats,
): Promise<ListedEntry | undefined> {
  const name = path.posix.join(folder.name, relative);
  const common = {
    name,
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    sizeBytes: 0,
    mtimeSeconds: Number(stats.mtimeNs / 1_000_000_000n),
    target: '',
  };
  // Changed by everything that changes content, name, owner or mode (inode(7)).
  const stamp = `${name}\0${stats.ino}\0${stats.ctimeNs}\0${stats.size}`;
  if (stats.isFile()) {
    const { directory, isChanging = false } = folder;
    // The folder may be a file: the copy of the store.
    const place =
      relative === ''
        ? { folder: path.dirname(directory), relative: path.basename(directory) }
        : { folder: directory, relative };
    const file = { ...place, isChanging };
    return { entry: { ...common, type: 'FILE', sizeBytes: Number(stats.size) }, file, stamp };
  }
  if (stats.isDirectory()) return { entry: { ...common, type: 'DIRECTORY' }, stamp };
  if (!stats.isSymbolicLink()) return undefined;
  const target = await readlink(path.join(folder.directory, relative));
  return { entry: { ...common, type: 'LINK', target }, stamp };
}
