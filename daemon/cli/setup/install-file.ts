import { chown, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory, writeFileAtomically } from '../../base/file/atomic-file.ts';

/** Who may do what with a file. */
interface Ownership {
  readonly uid: number;
  readonly gid: number;
  /** Permission bits. */
  readonly mode: number;
}

/**
 * Replaces a file as a whole; it belongs to its owner before anyone sees it under its name. One process at a time does so
 * for a file: callers hold the lock of the authority.
 */
export async function installFile(
  file: string,
  content: string,
  { uid, gid, mode }: Ownership,
): Promise<void> {
  const waiting = `${file}.setup`;
  try {
    await writeFileAtomically(waiting, content, mode);
    await chown(waiting, uid, gid);
    await rename(waiting, file);
  } catch (error) {
    await rm(waiting, { force: true });
    throw error;
  }
  await syncDirectory(path.dirname(file));
}
