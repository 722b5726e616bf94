import { lstat, open, readdir, readlink, stat } from 'node:fs/promises';
import path from 'node:path';

import { RECORDING_DIRECTORY } from '../../base/store/store-copy.ts';
import { CommandError } from '../command-error.ts';
import { PARTS } from './paths.ts';
import { exists, stagingPathOf } from './switch-folders.ts';

// What setup and the package make, and an administrator beside it (docs/how-to/back-up-and-restore.md).
const OF_CONFIGURATION = new Set(['tls', 'ca', 'provision.d']);
// Created by the daemon, and templates of the administrator.
const OF_DATA = new Set([
  'audit-head',
  'audit-key.pem',
  'bundle-drivers.json',
  'drivers',
  'initial-admin-password',
  'keys',
  'last-backup.json',
  'last-words.json',
  'packages',
  RECORDING_DIRECTORY,
  'templates',
  'tls',
]);
const MAXIMUM_NAMED = 5;

/**
 * Refuses a directory with foreign content, which replacing would remove. Foreign is everything that is neither of a
 * gateway nor identical in the backup: a shared directory such as `/etc` is never replaced. A private data directory only
 * contains files of the daemon.
 *
 * @param folder directory whose new content is staged next to it
 * @param part its name in the backup
 * @param ownFile file in it that every gateway has
 * @throws {CommandError} `FOLDER_FOREIGN`
 */
export async function refuseOthers(folder: string, part: string, ownFile: string): Promise<void> {
  if (!(await exists(folder))) return;
  // As created by the daemon: no other user can write there.
  const isPrivate = ((await stat(folder)).mode & 0o077) === 0;
  if (part === PARTS.data && isPrivate) return;
  const known = part === PARTS.data ? OF_DATA : OF_CONFIGURATION;
  const others: string[] = [];
  for (const name of await readdir(folder)) {
    // Includes copies and companion files: penstock.yaml.dpkg-dist, penstock.db-wal.
    if (known.has(name) || name.startsWith('penstock.')) continue;
    if (name.startsWith(ownFile) && /^(?:[.~-].*)?$/.test(name.slice(ownFile.length))) continue;
    const isSame = await holdsSame(path.join(folder, name), path.join(stagingPathOf(folder), name));
    if (!isSame) others.push(name);
  }
  if (others.length === 0) return;
  const more = others.length - MAXIMUM_NAMED;
  const named = `${others.slice(0, MAXIMUM_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const detail =
    `nothing was changed: ${folder} would be replaced, but contains files that are not of a gateway or differ from the backup: ` +
    `${named}; move them elsewhere, or restore to a separate directory`;
  throw new CommandError({ code: 'FOLDER_FOREIGN', detail });
}

/** Returns true if two files, links or directory trees have the same content. */
async function holdsSame(left: string, right: string): Promise<boolean> {
  if (!(await exists(right))) return false;
  const [one, other] = await Promise.all([lstat(left), lstat(right)]);
  if (one.isFile() && other.isFile()) return one.size === other.size && hasSameBytes(left, right);
  if (one.isSymbolicLink() && other.isSymbolicLink())
    return (await readlink(left)) === (await readlink(right));
  if (!one.isDirectory() || !other.isDirectory()) return false;
  const [names, others] = [(await readdir(left)).toSorted(), (await readdir(right)).toSorted()];
  if (names.join('/') !== others.join('/')) return false;
  for (const name of names) {
    if (!(await holdsSame(path.join(left, name), path.join(right, name)))) return false;
  }
  return true;
}

const PIECE_BYTES = 65_536;

async function hasSameBytes(left: string, right: string): Promise<boolean> {
  await using one = await open(left);
  await using other = await open(right);
  for (;;) {
    const [read, compared] = [Buffer.alloc(PIECE_BYTES), Buffer.alloc(PIECE_BYTES)];
    const { bytesRead } = await one.read(read);
    await other.read(compared);
    if (!read.equals(compared)) return false;
    if (bytesRead === 0) return true;
  }
}
