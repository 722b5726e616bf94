import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Content of a part as stored: its text, or that compressed. */
export type PartContent = string | Uint8Array;

// Shorter texts fit into a page of the store, and remain legible in it.
const SHORTEST_COMPRESSED = 1024;
const FASTEST = 1;
const MAXIMUM_BYTES = 64 * 2 ** 20;

/** Compresses a long text: 100 channels take about a thirtieth, which the disk, its log and backups need not hold. */
export function packPart(text: string): PartContent {
  if (text.length < SHORTEST_COMPRESSED) return text;
  const bytes = Buffer.from(text);
  return zstdCompressSync(bytes, {
    pledgedSrcSize: bytes.length,
    params: { [constants.ZSTD_c_compressionLevel]: FASTEST, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

/**
 * Returns the text of a stored part.
 *
 * @throws {Error} when it is no text, or damaged
 */
export function unpackPart(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!(content instanceof Uint8Array)) throw new TypeError('a part has neither a text nor bytes');
  return zstdDecompressSync(content, { maxOutputLength: MAXIMUM_BYTES }).toString();
}
