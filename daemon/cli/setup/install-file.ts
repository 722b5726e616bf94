import { chown, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory, writeFileAtomically } from '../../base/file/atomic-file.ts';

/** Owner and permissions of a file. */
interface Ownership {
  readonly uid: number;
  readonly gid: number;
  /** Permission bits. */
  readonly mode: number;
}

/**
 * Replaces a file atomically; its owner is set before it appears under its name. Callers hold the lock of the authority,
 * so only one process replaces a file at a time.
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
