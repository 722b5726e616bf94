import { link, open, readdir } from 'node:fs/promises';
import path from 'node:path';

const DIGITS = 16;
const NAME = /^(\d{16})\.journal$/;

/** Returns the path of the segment whose entries begin with a number. */
export function fileOfSegment(directory: string, firstSequence: number): string {
  return path.join(directory, `${String(firstSequence).padStart(DIGITS, '0')}.journal`);
}

/** Lists the first numbers of the segments in a directory, the oldest first; other files are left alone. */
export async function listFirstSequences(directory: string): Promise<readonly number[]> {
  const names = await readdir(directory);
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((number) => Number.isSafeInteger(number) && number > 0)
    .toSorted((one, other) => one - other);
}

/** Links a segment into another directory, where it may be already; one that was deleted is left out. */
export async function linkSegment(directory: string, firstSequence: number, target: string): Promise<void> {
  try {
    await link(fileOfSegment(directory, firstSequence), fileOfSegment(target, firstSequence));
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

/**
 * Reads a file from an offset to its end, or to `end`.
 *
 * @returns fewer bytes if the file is shorter
 */
export async function readFrom(file: string, offset: number, end = Infinity): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const length = Math.max(0, Math.min(size, end) - offset);
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return bytes.subarray(0, done);
  } finally {
    await handle.close();
  }
}
