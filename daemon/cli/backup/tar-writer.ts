import { open } from 'node:fs/promises';

import { BLOCK_BYTES, formatTarHeader, paddingOf } from './tar-header.ts';
import type { TarEntry } from './tar-header.ts';

/** What an archive is made of: an entry, and its content or the file that has it. */
export interface TarItem {
  readonly entry: TarEntry;
  readonly content?: Buffer;
  /** Path of the file with the content. */
  readonly file?: string;
}

/** A file became shorter while it was read. */
export class FileShrank extends Error {}

/**
 * Writes an archive that every `tar` reads (POSIX.1-2024, pax, ustar interchange format).
 *
 * @throws {FileShrank} when a file has less content than its entry says; what it has more is left out
 */
export async function* writeTar(items: Iterable<TarItem>): AsyncGenerator<Buffer> {
  for (const { entry, content, file } of items) {
    yield formatTarHeader(entry);
    if (content !== undefined) yield content;
    if (file !== undefined && entry.sizeBytes > 0) yield* readFile(file, entry.sizeBytes);
    yield Buffer.alloc(paddingOf(entry.sizeBytes));
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

async function* readFile(file: string, sizeBytes: number): AsyncGenerator<Buffer> {
  const handle = await open(file);
  let rest = sizeBytes;
  // `end` is the place of the last byte.
  for await (const chunk of handle.createReadStream({ end: sizeBytes - 1 })) {
    rest -= (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  if (rest > 0) throw new FileShrank(`${file} became shorter`);
}
