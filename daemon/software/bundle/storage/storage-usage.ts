import type { Stats } from 'node:fs';
import { lstat, opendir, readdir, stat } from 'node:fs/promises';

// A bundle has removed its own rights to a directory, or nested directories until their path is too long.
const CODES: ReadonlySet<unknown> = new Set(['EACCES', 'ENAMETOOLONG']);

/** Disk usage of the files of a bundle. */
export interface StorageUsage {
  /** Allocated on the disk; files without content and directories may take none. */
  readonly bytes: number;
  /** Files, directories, links and others. */
  readonly entries: number;
  /** Reason why a part of the directory could not be measured. */
  readonly unreadable?: string | undefined;
}

const BLOCK_BYTES = 512;
const AT_ONCE = 32;

/**
 * Measures a directory without following links. Counting ends soon after `maximumEntries`, so that it takes a bounded time.
 *
 * Files that disappear during the measurement are not counted. `unreadable` names a directory that cannot be read, or whose path is
 * longer than the system allows.
 *
 * @throws a system error that the bundle did not cause
 */
export async function measureDirectory(directory: string, maximumEntries: number): Promise<StorageUsage> {
  const waiting: Buffer[] = [Buffer.from(directory)];
  let [bytes, entries] = [0, 0];
  let unreadable: string | undefined;
  async function count(entry: Buffer): Promise<void> {
    entries += 1;
    const found = await lstat(entry);
    bytes += found.blocks * BLOCK_BYTES;
    if (found.isDirectory()) waiting.push(entry);
  }
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    try {
      for await (const batch of readBatches(folder)) {
        const outcomes = await Promise.allSettled(batch.map(count));
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') unreadable = findCause(outcome.reason) ?? unreadable;
        }
        if (entries > maximumEntries) return { bytes, entries, unreadable };
      }
    } catch (error) {
      unreadable = findCause(error) ?? unreadable;
    }
  }
  return { bytes, entries, unreadable };
}

/**
 * Measures deleted files that processes still have open: they occupy space until they are closed.
 *
 * @returns bytes; a process that has ended has none
 */
export async function measureDeletedFiles(pids: readonly number[]): Promise<number> {
  const files = (await Promise.all(pids.map(listOpenFiles))).flat();
  const deleted = files.filter((file) => file.isFile() && file.nlink === 0);
  const byInode = new Map(deleted.map(({ dev, ino, blocks }) => [`${dev}:${ino}`, blocks * BLOCK_BYTES]));
  return [...byInode.values()].reduce((total, bytes) => total + bytes, 0);
}

async function listOpenFiles(pid: number): Promise<readonly Stats[]> {
  const directory = `/proc/${pid}/fd`;
  const descriptors = await readdir(directory).catch(() => []);
  const files = await Promise.all(descriptors.map((fd) => stat(`${directory}/${fd}`).catch(() => undefined)));
  return files.filter((file) => file !== undefined);
}

async function* readBatches(folder: Buffer): AsyncGenerator<readonly Buffer[]> {
  let batch: Buffer[] = [];
  const entries = await opendir(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: AT_ONCE });
  for await (const { name } of entries) {
    // The types of Node.js lack the encoding `buffer`.
    batch.push(Buffer.concat([folder, Buffer.from('/'), name as unknown as Buffer]));
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Returns the reason why an entry cannot be measured; undefined if it has disappeared. Throws if the bundle is not the cause. */
function findCause(error: unknown): string | undefined {
  const code = findUnusablePath(error);
  if (code !== undefined || (error as { code?: unknown }).code === 'ENOENT') return code;
  throw error;
}

/**
 * Returns the code of a system error that a bundle causes by the state of its own files; undefined for any other, for example a
 * lack of descriptors.
 */
export function findUnusablePath(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && CODES.has(code) ? code : undefined;
}
