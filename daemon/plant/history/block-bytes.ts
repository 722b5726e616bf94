import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import { decodeBody } from '../journal/frame-body.ts';
import { ColumnFault } from '../journal/column-reader.ts';
import type { SampleColumns } from '../journal/sample-columns.ts';
import type { Series } from '../journal/sample.ts';

const OPTIONS = {
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
};
const MAXIMUM_BYTES = 64 * 1024 * 1024;
// That of a `GrowingBody`.
const NUMBER = 0;

/**
 * Reads samples of one series.
 *
 * @throws {ColumnFault} if the bytes are not a body with so many samples
 */
export function decodeSamples(series: Series, bytes: Buffer, count: number): SampleColumns {
  const { samples } = decodeBody(bytes, new Map([[NUMBER, series]]), { count, wallMs: 0 });
  const [columns] = samples;
  if (columns === undefined || samples.length > 1)
    throw new ColumnFault(`${samples.length} series in a block`);
  return columns;
}

/** Returns the bytes of a block with the samples of a body. */
export function packSamples(body: Buffer): Buffer {
  // The way through the thread pool takes four times as long as the work.
  return zstdCompressSync(body, OPTIONS);
}

/**
 * Reads the bytes of a block.
 *
 * @throws errors of the decompression, and {ColumnFault}, if they are damaged
 */
export function unpackSamples(series: Series, bytes: Uint8Array, count: number): SampleColumns {
  return decodeSamples(series, zstdDecompressSync(bytes, { maxOutputLength: MAXIMUM_BYTES }), count);
}
