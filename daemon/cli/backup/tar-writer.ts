import type { FileHandle } from 'node:fs/promises';

import type { LeftOutList } from './left-out.ts';
import { EntryVanished, openFileBeneath } from './open-beneath.ts';
import { packTar } from './tar-archive.ts';
import type { PackedEntry, TarEntry } from './tar-archive.ts';

/** A file below a directory; if it is missing, a changing one is left out. */
interface ContentFile {
  readonly folder: string;
  readonly relative: string;
  readonly isChanging: boolean;
}

/** Item of an archive: an entry, and its content or the file with it. */
export interface TarItem {
  readonly entry: TarEntry;
  readonly content?: Buffer;
  /** The file with the content. */
  readonly file?: ContentFile;
}

/** A file became shorter while it was read. */
export class FileShrank extends Error {}

/**
 * Writes an archive of files with their content at the time of reading. A changing file becomes an entry of its size when
 * opened, even if it changes later.
 *
 * @param leftOut receives changing files that vanish, are unreadable, or become shorter
 * @throws {FileShrank} if another file is shorter than its entry; additional content is ignored
 */
export function writeTar(items: Iterable<TarItem>, leftOut: LeftOutList): AsyncGenerator<Uint8Array> {
  return packTar(openContents(items, leftOut));
}

async function* openContents(items: Iterable<TarItem>, leftOut: LeftOutList): AsyncGenerator<PackedEntry> {
  for (const { entry, content, file } of items) {
    if (file === undefined) {
      yield { entry, content: content === undefined ? [] : [content] };
      continue;
    }
    await using handle = await openContent(file, entry, leftOut);
    if (handle === undefined) continue;
    if (file.isChanging) {
      const whole = { ...entry, sizeBytes: (await handle.stat()).size };
      yield { entry: whole, content: readWhole(handle, whole, leftOut) };
    } else yield { entry, content: readSteady(handle, entry) };
  }
}

/** Returns undefined if the file is left out. */
async function openContent(
  { folder, relative, isChanging }: ContentFile,
  { name }: TarEntry,
  leftOut: LeftOutList,
): Promise<FileHandle | undefined> {
  try {
    return await openFileBeneath(folder, relative);
  } catch (error) {
    if (!isChanging) throw error;
    leftOut.add(name, error instanceof EntryVanished ? 'VANISHED' : 'UNREADABLE');
    return undefined;
  }
}

async function* readSteady(handle: FileHandle, { name, sizeBytes }: TarEntry): AsyncGenerator<Uint8Array> {
  let rest = sizeBytes;
  for await (const piece of readFile(handle, sizeBytes)) {
    rest -= piece.length;
    yield piece;
  }
  if (rest > 0) throw new FileShrank(`${name} became shorter`);
}

const ZEROS = Buffer.alloc(65_536);

async function* readWhole(
  handle: FileHandle,
  { name, sizeBytes }: TarEntry,
  leftOut: LeftOutList,
): AsyncGenerator<Uint8Array> {
  let rest = sizeBytes;
  let reason: 'SHORTENED' | 'UNREADABLE' = 'SHORTENED';
  try {
    for await (const piece of readFile(handle, sizeBytes)) {
      rest -= piece.length;
      yield piece;
    }
  } catch {
    reason = 'UNREADABLE';
  }
  if (rest > 0) leftOut.add(name, reason);
  for (; rest > 0; rest -= ZEROS.length) yield ZEROS.subarray(0, rest);
}

async function* readFile(handle: FileHandle, sizeBytes: number): AsyncGenerator<Buffer> {
  if (sizeBytes === 0) return;
  // `end` is the offset of the last byte.
  for await (const piece of handle.createReadStream({ end: sizeBytes - 1, autoClose: false })) {
    yield piece as Buffer;
  }
}
