import { extract, pack } from 'tar-stream';
import type { Extract, Header, Pack } from 'tar-stream';

import { CommandError } from '../command-error.ts';

/** The archive is damaged, or holds what a backup never holds. */
class ArchiveError extends CommandError {}

/** A file, directory or symbolic link in an archive. */
export interface TarEntry {
  /** Relative path; parts are separated by slashes. */
  readonly name: string;
  readonly type: TarType;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Length of the content; 0 for what is no file. */
  readonly sizeBytes: number;
  /** Whole seconds since the epoch. */
  readonly mtimeSeconds: number;
  /** Where a link leads; empty for what is none. */
  readonly target: string;
}

type TarType = 'FILE' | 'DIRECTORY' | 'LINK';

/** An entry with its content, which has exactly the length that the entry states. */
export interface PackedEntry {
  readonly entry: TarEntry;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An entry whose content is to be read before the next one. */
interface ReadEntry {
  readonly entry: TarEntry;
  readonly content: AsyncIterable<Uint8Array>;
}

type Sink = ReturnType<Pack['entry']>;
type HeaderToWrite = Parameters<Pack['entry']>[0];

const TYPES = { file: 'FILE', symlink: 'LINK', directory: 'DIRECTORY' } as const;
const NAMES = { FILE: 'file', LINK: 'symlink', DIRECTORY: 'directory' } as const;
/** Length of a header, and what contents are filled up to (POSIX.1-2024, pax, ustar interchange format). */
const BLOCK_BYTES = 512;
const END_BYTES = 2 * BLOCK_BYTES;
// The largest number in six octal digits, which is what the library writes of an owner.
const MAXIMUM_ID = 0o777777;
// The library writes a time as a signed number of 32 bits.
const MAXIMUM_MTIME_SECONDS = 2 ** 31 - 1;
// The library takes a mode of 0 for none; the bit of a regular file is not written.
const REGULAR_FILE = 0o100000;

/**
 * Writes an archive that every `tar` reads (POSIX.1-2024, pax, ustar interchange format).
 *
 * @throws the error of a content, or of the entries
 */
export async function* packTar(entries: AsyncIterable<PackedEntry>): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const filled = fill(archive, entries).catch((error: unknown) => archive.destroy(error as Error));
  try {
    yield* archive as AsyncIterable<Uint8Array>;
  } finally {
    archive.destroy();
    await filled;
  }
}

async function fill(archive: Pack, entries: AsyncIterable<PackedEntry>): Promise<void> {
  for await (const { entry, content } of entries) {
    const sink = archive.entry(toHeader(entry));
    // The archive ends with the same error.
    sink.on('error', () => undefined);
    if (entry.type !== 'FILE') continue;
    for await (const piece of content) await write(sink, piece);
    sink.end(undefined);
  }
  archive.finalize();
}

/** Writes a piece, and waits until there is room for the next one. */
async function write(stream: Sink, piece: Uint8Array): Promise<void> {
  if (!stream.destroying && !stream.write(piece)) {
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        stream.off('drain', goOn);
        stream.off('close', goOn);
        resolve();
      };
      stream.on('drain', goOn);
      stream.on('close', goOn);
    });
  }
  if (stream.destroying) throw new Error('the archive was closed');
}

function toHeader(entry: TarEntry): HeaderToWrite {
  const { name, type, mode, uid, gid, sizeBytes, mtimeSeconds, target } = entry;
  const pax = {
    ...(uid <= MAXIMUM_ID ? {} : { uid }),
    ...(gid <= MAXIMUM_ID ? {} : { gid }),
    ...(mtimeSeconds <= MAXIMUM_MTIME_SECONDS ? {} : { mtime: mtimeSeconds }),
  };
  return {
    name,
    type: NAMES[type],
    mode: mode | REGULAR_FILE,
    uid,
    gid,
    size: sizeBytes,
    mtime: new Date(Math.min(Math.max(mtimeSeconds, 0), MAXIMUM_MTIME_SECONDS) * 1000),
    linkname: target,
    pax: Object.keys(pax).length === 0 ? null : pax,
  };
}

/**
 * Reads the entries of an archive, in their order. The content of an entry that is not read is passed over.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID` when it is damaged or cut off, for names that could lead out of a folder, for anything but
 *   files, directories and symbolic links, and for what is no part of an entry
 * @throws the error of the source
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  const archive = extract();
  const bytes = new CountedBytes(source);
  const fed = feed(archive, bytes).catch((error: unknown) => archive.destroy(error as Error));
  let end = 0;
  try {
    for await (const stream of archive) {
      const { header, offset } = stream;
      const records = readRecords(header.pax);
      // An archive that ended before, or headers that the library passes over.
      if (offset !== end + lengthOf(records)) throw damaged('something is no part of its entries');
      const entry = toEntry(header, records);
      end = offset + BLOCK_BYTES + toWholeBlocks(entry.sizeBytes);
      const content = readPieces(stream as AsyncIterable<Uint8Array>, bytes);
      yield { entry, content };
      for await (const _rest of content) continue;
    }
    await fed;
  } catch (error) {
    throw explain(error, bytes);
  } finally {
    archive.destroy();
    await fed;
  }
  if (bytes.count < end + END_BYTES) throw damaged('it is cut off');
  if (bytes.endOfLastByte > end) throw damaged('something follows its end');
}

async function feed(archive: Extract, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of source) await write(archive, piece);
  archive.end(undefined);
}

async function* readPieces(
  stream: AsyncIterable<Uint8Array>,
  bytes: CountedBytes,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw explain(error, bytes);
  }
}

/** The library ends every stream with what it makes of the first error. */
function explain(error: unknown, bytes: CountedBytes): unknown {
  if (bytes.error !== undefined) return bytes.error;
  return error instanceof ArchiveError ? error : damaged('a header is damaged, or it is cut off', error);
}

/** Passes bytes on, and knows where those end that are not zero. */
class CountedBytes {
  readonly #source: AsyncIterable<Uint8Array>;
  count = 0;
  /** The place after the last byte that is not zero. */
  endOfLastByte = 0;
  error: unknown;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of this.#source) {
        const last = piece.findLastIndex((byte) => byte !== 0);
        if (last !== -1) this.endOfLastByte = this.count + last + 1;
        this.count += piece.length;
        yield piece;
      }
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}

type Records = ReadonlyMap<string, string>;

function readRecords(pax: unknown): Records | undefined {
  return pax === null ? undefined : new Map(Object.entries(pax as Readonly<Record<string, string>>));
}

/** Returns how long records are in an archive, with their header (POSIX.1-2024, pax extended header). */
function lengthOf(records: Records | undefined): number {
  if (records === undefined) return 0;
  let total = 0;
  for (const [key, value] of records) {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    // The length counts its own digits.
    const length = rest + String(rest).length;
    total += String(length).length + rest;
  }
  return BLOCK_BYTES + toWholeBlocks(total);
}

function toWholeBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function toEntry(header: Header, records: Records = new Map()): TarEntry {
  const name = checkName(header.name);
  const type = Object.entries(TYPES).find(([known]) => known === header.type)?.[1];
  if (type === undefined) throw damaged(`${name} is no file, directory or symbolic link`);
  const sizeBytes = toNumber(records.get('size'), header.size);
  if (type !== 'FILE' && sizeBytes > 0) throw damaged(`${name} has a content`);
  const writtenSeconds = header.mtime.getTime() / 1000;
  return {
    name,
    type,
    mode: header.mode & 0o7777,
    uid: toNumber(records.get('uid'), header.uid),
    gid: toNumber(records.get('gid'), header.gid),
    sizeBytes,
    mtimeSeconds: toNumber(records.get('mtime')?.replace(/\.\d*$/, ''), writtenSeconds),
    target: type === 'LINK' ? (header.linkname ?? '') : '',
  };
}

/** Refuses everything that is not a plain relative path. */
function checkName(name: string): string {
  const parts = name.replace(/\/$/, '').split('/');
  const isPlain = parts.every((part) => !['', '.', '..'].includes(part) && !part.includes('\0'));
  if (!isPlain) throw damaged(`it holds an entry named ${JSON.stringify(name)}`);
  return parts.join('/');
}

function toNumber(text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  const isWritten = text === undefined || /^\d+$/.test(text);
  if (!isWritten || !Number.isSafeInteger(value) || value < 0) throw damaged('a number in it is damaged');
  return value;
}

/** Returns the error for an archive that no backup has. */
export function damaged(reason: string, cause?: unknown): ArchiveError {
  return new ArchiveError({
    code: 'ARCHIVE_INVALID',
    detail: `the archive cannot be used: ${reason}`,
    cause,
  });
}
