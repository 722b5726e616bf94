import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';

import { DeploymentError } from './deployment-error.ts';
import type { ZipEntry } from './zip-directory.ts';

// Large enough that the work per chunk is small against the copying.
const CHUNK_BYTES = 262_144;

/** Digests of an extracted entry, lower-case hexadecimal, by algorithm. */
type EntryDigests = ReadonlyMap<string, string>;

/**
 * Writes an entry to a new file chunk by chunk, in constant memory; the file is synced when this resolves.
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
  const hashes = algorithms.map((algorithm) => createHash(algorithm));
  const gauge = createGauge(entry, hashes);
  const handle = await open(target, 'wx', 0o600);
  try {
    const sink = (chunks: AsyncIterable<Buffer>): Promise<void> => handle.writeFile(chunks);
    const source = openContent(archive, entry);
    if (entry.isCompressed) {
      const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
      await pipeline(source, inflate, gauge, sink);
      // Another reader could take bytes behind the end of the data for content.
      if (inflate.bytesWritten !== entry.compressedBytes) throw damaged(entry.name, 'contains unused bytes');
    } else {
      await pipeline(source, gauge, sink);
    }
    await handle.sync();
  } catch (error) {
    throw toExtractionError(error, entry);
  } finally {
    await handle.close();
  }
  return new Map(hashes.map((hash, index) => [algorithms[index] ?? '', hash.digest('hex')]));
}

function openContent(archive: string, { contentAt, compressedBytes }: ZipEntry): Readable {
  if (compressedBytes === 0) return Readable.from([]);
  const end = contentAt + compressedBytes - 1;
  return createReadStream(archive, { start: contentAt, end, highWaterMark: CHUNK_BYTES });
}

/** Creates a stream that passes bytes on, and fails when length or checksum differ from the headers of the entry. */
function createGauge({ name, sizeBytes, crc32: expected }: ZipEntry, hashes: readonly Hash[]): Transform {
  let length = 0;
  let checksum = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > sizeBytes) {
        done(damaged(name, 'is longer than its headers say'));
        return;
      }
      checksum = crc32(chunk, checksum);
      for (const hash of hashes) hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      if (length !== sizeBytes) done(damaged(name, 'is shorter than its headers say'));
      else if (checksum !== expected) done(damaged(name, 'has a wrong checksum'));
      else done();
    },
  });
}

function toExtractionError(error: unknown, { name }: ZipEntry): unknown {
  const { code } = error as { readonly code?: unknown };
  // Errors of zlib: Z_DATA_ERROR, Z_BUF_ERROR and the like.
  return typeof code === 'string' && code.startsWith('Z_') ? damaged(name, 'is damaged', error) : error;
}

function damaged(name: string, what: string, cause?: unknown): DeploymentError {
  return new DeploymentError('NOT_A_JAR', `the entry "${name}" ${what}`, cause);
}
