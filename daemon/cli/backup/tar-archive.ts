import { extract, pack } from 'tar-stream';
import type { Extract, Header, Pack } from 'tar-stream';

import { CommandError } from '../command-error.ts';

/** The archive is damaged, or contains entries that a backup never contains. */
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
  /** Length of the content; 0 unless it is a file. */
  readonly sizeBytes: number;
  /** Whole seconds since the epoch. */
  readonly mtimeSeconds: number;
  /** Target of a link; otherwise empty. */
  readonly target: string;
}

type TarType = 'FILE' | 'DIRECTORY' | 'LINK';

/** An entry with its content of exactly the stated length. */
export interface PackedEntry {
  readonly entry: TarEntry;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An entry whose content must be read before the next entry. */
interface ReadEntry {
  readonly entry: TarEntry;
  readonly content: AsyncIterable<Uint8Array>;
}

type Sink = ReturnType<Pack['entry']>;
type HeaderToWrite = Parameters<Pack['entry']>[0];

const TYPES = { file: 'FILE', symlink: 'LINK', directory: 'DIRECTORY' } as const;
const NAMES = { FILE: 'file', LINK: 'symlink', DIRECTORY: 'directory' } as const;
/** Length of a header and of the padding of contents (POSIX.1-2024, pax, ustar interchange format). */
const BLOCK_BYTES = 512;
const END_BYTES = 2 * BLOCK_BYTES;
// Maximum of six octal digits, the format of owners in the library.
const MAXIMUM_ID = 0o777777;
// The library writes times as signed 32-bit numbers.
const MAXIMUM_MTIME_SECONDS = 2 ** 31 - 1;
// The library treats a mode of 0 as absent; the file type bit is not written.
const REGULAR_FILE = 0o100000;

/**
 * Writes a portable archive (POSIX.1-2024, pax, ustar interchange format).
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

/** Writes a piece and waits for the buffer to drain. */
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
 * Reads the entries of an archive in order. Skips content that is not read.
 *
 * @throws {ArchiveError} `ARCHIVE_INVALID` if it is damaged or truncated, for names outside the directory, for types other
 *   than files, directories and symbolic links, and for data outside of entries
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
      // An earlier end of the archive, or headers that the library skips.
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

/** Replaces errors of the library by the original one. */
function explain(error: unknown, bytes: CountedBytes): unknown {
  if (bytes.error !== undefined) return bytes.error;
  return error instanceof ArchiveError ? error : damaged('a header is damaged, or it is cut off', error);
}

/** Forwards bytes and tracks the last non-zero one. */
class CountedBytes {
  readonly #source: AsyncIterable<Uint8Array>;
  count = 0;
  /** Offset after the last non-zero byte. */
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

/** Returns the length of pax records including their header (POSIX.1-2024, pax extended header). */
function lengthOf(records: Records | undefined): number {
  if (records === undefined) return 0;
  let total = 0;
  for (const [key, value] of records) {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    // The length includes its own digits.
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

/** Returns the error for an invalid archive. */
export function damaged(reason: string, cause?: unknown): ArchiveError {
  return new ArchiveError({
    code: 'ARCHIVE_INVALID',
    detail: `the archive cannot be used: ${reason}`,
    cause,
  });
}
