import type { FileHandle } from 'node:fs/promises';

import { EntryVanished, openFileBeneath } from './open-beneath.ts';
import { packTar } from './tar-archive.ts';
import type { PackedEntry, TarEntry } from './tar-archive.ts';

/** A file below a folder; without it, one that changes at any time is left out. */
interface ContentFile {
  readonly folder: string;
  readonly relative: string;
  readonly isChanging: boolean;
}

/** What an archive is made of: an entry, and its content or the file that has it. */
export interface TarItem {
  readonly entry: TarEntry;
  readonly content?: Buffer;
  /** The file with the content. */
  readonly file?: ContentFile;
}

/** A file became shorter while it was read. */
export class FileShrank extends Error {}

/**
 * Writes an archive of files, as they are when each is read.
 *
 * @throws {FileShrank} when a file has less content than its entry says; what it has more is left out
 */
export function writeTar(items: Iterable<TarItem>): AsyncGenerator<Uint8Array> {
  return packTar(openContents(items));
}

async function* openContents(items: Iterable<TarItem>): AsyncGenerator<PackedEntry> {
  for (const { entry, content, file } of items) {
    const handle = file === undefined ? undefined : await openContent(file);
    if (file !== undefined && handle === undefined) continue;
    await using _closed = handle;
    if (handle !== undefined && entry.sizeBytes > 0) yield { entry, content: readFile(handle, entry) };
    else yield { entry, content: content === undefined ? [] : [content] };
  }
}

/** Returns undefined when the file is to be left out. */
async function openContent({ folder, relative, isChanging }: ContentFile): Promise<FileHandle | undefined> {
  try {
    return await openFileBeneath(folder, relative);
  } catch (error) {
    if (isChanging && error instanceof EntryVanished) return undefined;
    throw error;
  }
}

async function* readFile(handle: FileHandle, { name, sizeBytes }: TarEntry): AsyncGenerator<Buffer> {
  let rest = sizeBytes;
  // `end` is the place of the last byte.
  for await (const chunk of handle.createReadStream({ end: sizeBytes - 1, autoClose: false })) {
    rest -= (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  if (rest > 0) throw new FileShrank(`${name} became shorter`);
}
