import { chown, rename, rm } from 'node:fs/promises';

import { syncDirectory, writeFileAtomically } from '../../base/atomic-file.ts';
import path from 'node:path';

/** Who may do what with a file. */
interface Ownership {
  readonly uid: number;
  readonly gid: number;
  /** Permission bits. */
  readonly mode: number;
}

/** Replaces a file as a whole; it belongs to its owner before anyone sees it under its name. */
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
