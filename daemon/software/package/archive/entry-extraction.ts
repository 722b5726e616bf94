import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';

import { DeploymentError } from '../deployment-error.ts';
import type { ZipEntry } from './zip-directory.ts';

// Large enough that the work per chunk is small against the copying; what is no larger is written at once.
const CHUNK_BYTES = 262_144;

/** Digests of an extracted entry, lower-case hexadecimal, by algorithm. */
type EntryDigests = ReadonlyMap<string, string>;

/**
 * Writes an entry to a new file, in constant memory; the file is synced when this resolves.
 *
 * @param archive path of the archive
 * @param target path of a file that does not exist; missing parent directories are created
 * @param algorithms names of digests that Node.js supports
 * @throws {DeploymentError} `NOT_A_JAR` when length or checksum differ from the headers, or the data is damaged
 */
export async function extractEntry(
  archive: string,
  entry: ZipEntry,
  target: string,
  algorithms: readonly string[],
): Promise<EntryDigests> {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const gauge = new ContentGauge(entry, algorithms);
  const handle = await open(target, 'wx', 0o600);
  try {
    const isShort = Math.max(entry.compressedBytes, entry.sizeBytes) <= CHUNK_BYTES;
    await (isShort ? writeAtOnce : writeInChunks)(archive, entry, gauge, handle);
    await handle.sync();
  } catch (error) {
    throw toExtractionError(error, entry);
  } finally {
    await handle.close();
  }
  return gauge.digests();
}

/** Writes a short entry: streams would cost more than its bytes do. */
async function writeAtOnce(
  archive: string,
  entry: ZipEntry,
  gauge: ContentGauge,
  handle: FileHandle,
): Promise<void> {
  const packed = await readContent(archive, entry);
  const content = entry.isCompressed ? inflateAtOnce(packed, entry) : packed;
  gauge.add(content);
  gauge.end();
  await handle.writeFile(content);
}

async function writeInChunks(
  archive: string,
  entry: ZipEntry,
  gauge: ContentGauge,
  handle: FileHandle,
): Promise<void> {
  const sink = (chunks: AsyncIterable<Buffer>): Promise<void> => handle.writeFile(chunks);
  const source = openContent(archive, entry);
  if (!entry.isCompressed) {
    await pipeline(source, createPassage(gauge), sink);
    return;
  }
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  await pipeline(source, inflate, createPassage(gauge), sink);
  checkUsedBytes(entry, inflate.bytesWritten);
}

/** Returns the packed bytes of an entry; fewer when the archive has become shorter. */
async function readContent(archive: string, { contentAt, compressedBytes }: ZipEntry): Promise<Buffer> {
  const handle = await open(archive, 'r');
  try {
    const bytes = Buffer.allocUnsafe(compressedBytes);
    const { bytesRead } = await handle.read(bytes, 0, compressedBytes, contentAt);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function inflateAtOnce(packed: Buffer, entry: ZipEntry): Buffer {
  // The size in the headers bounds the memory; zlib accepts no bound of zero. Its type declarations lack `info`.
  const { buffer, engine } = inflateRawSync(packed, {
    maxOutputLength: Math.max(entry.sizeBytes, 1),
    info: true,
  }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  checkUsedBytes(entry, engine.bytesWritten);
  return buffer;
}

/** Rejects bytes after the end of the data: another reader could interpret them as content. */
function checkUsedBytes({ name, compressedBytes }: ZipEntry, usedBytes: number): void {
  if (usedBytes !== compressedBytes) throw damaged(name, 'contains unused bytes');
}

function openContent(archive: string, { contentAt, compressedBytes }: ZipEntry): Readable {
  if (compressedBytes === 0) return Readable.from([]);
  const end = contentAt + compressedBytes - 1;
  return createReadStream(archive, { start: contentAt, end, highWaterMark: CHUNK_BYTES });
}

/** Creates a stream that passes bytes on, and fails if the gauge does. */
function createPassage(gauge: ContentGauge): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(
        catchError(() => gauge.add(chunk)),
        chunk,
      );
    },
    flush(done) {
      done(catchError(() => gauge.end()));
    },
  });
}

function catchError(act: () => void): Error | null {
  try {
    act();
    return null;
  } catch (error) {
    return error as Error;
  }
}

/** Compares the content of an entry with its headers, and digests it. */
class ContentGauge {
  readonly #entry: ZipEntry;
  readonly #hashes: ReadonlyMap<string, Hash>;
  #length = 0;
  #checksum = 0;

  constructor(entry: ZipEntry, algorithms: readonly string[]) {
    this.#entry = entry;
    this.#hashes = new Map(algorithms.map((algorithm) => [algorithm, createHash(algorithm)]));
  }

  /** @throws {DeploymentError} `NOT_A_JAR` when the content is longer than the headers say */
  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#entry.sizeBytes) throw tooLong(this.#entry);
    this.#checksum = crc32(chunk, this.#checksum);
    for (const hash of this.#hashes.values()) hash.update(chunk);
  }

  /** @throws {DeploymentError} `NOT_A_JAR` when the whole content differs from the headers */
  end(): void {
    const { name, sizeBytes, crc32: expected } = this.#entry;
    if (this.#length !== sizeBytes) throw damaged(name, 'is shorter than its headers say');
    if (this.#checksum !== expected) throw damaged(name, 'has a wrong checksum');
  }

  /** Returns the digests once. */
  digests(): EntryDigests {
    return new Map([...this.#hashes].map(([algorithm, hash]) => [algorithm, hash.digest('hex')]));
  }
}

function toExtractionError(error: unknown, entry: ZipEntry): unknown {
  const { code } = error as { readonly code?: unknown };
  // Error of Node.js if inflated bytes exceed their bound.
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLong(entry);
  // Errors of zlib: Z_DATA_ERROR, Z_BUF_ERROR and the like.
  return typeof code === 'string' && code.startsWith('Z_') ? damaged(entry.name, 'is damaged', error) : error;
}

function tooLong({ name }: ZipEntry): DeploymentError {
  return damaged(name, 'is longer than its headers say');
}

function damaged(name: string, what: string, cause?: unknown): DeploymentError {
  return new DeploymentError('NOT_A_JAR', `the entry "${name}" ${what}`, cause);
}
