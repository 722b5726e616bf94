import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file atomically: after a crash or loss of power at any moment it has either the old or the new content. A
 * temporary file of a killed process is removed by the next write of the same file.
 *
 * @param content the new content
 * @param mode permission bits, set at creation and therefore never wider in between
 */
export async function writeFileAtomically(
  file: string,
  content: string | Uint8Array,
  mode = 0o600,
): Promise<void> {
  const temporary = `${file}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  await removeLeftovers(file);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(path.dirname(file));
}

// The writing process, and random digits.
const TEMPORARY_SUFFIX = /^\.(\d+)-[0-9a-f]{12}\.tmp$/;

/** Removes temporary files of writers that have exited. */
async function removeLeftovers(file: string): Promise<void> {
  const [directory, name] = [path.dirname(file), path.basename(file)];
  // The write itself reports errors of the directory.
  const names = await readdir(directory).catch(() => []);
  for (const each of names) {
    if (!each.startsWith(name)) continue;
    const [, pid] = TEMPORARY_SUFFIX.exec(each.slice(name.length)) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(path.join(directory, each), { force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to another user.
    return (error as { readonly code?: unknown }).code !== 'ESRCH';
  }
}

/** Syncs the names in a directory to the disk: a rename is not durable before this (fsync(2)). */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
