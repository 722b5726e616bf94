import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

import { decodeBody, encodeBody } from '../journal/frame-body.ts';
import type { Sample, Series } from '../journal/sample.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const OPTIONS = {
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
};
const MAXIMUM_BYTES = 64 * 1024 * 1024;
// The columns name series by number; here there is only one.
const NUMBER = 0;

/** Writes samples of one series as columns, one at least. */
export function encodeSamples(series: Series, samples: readonly Sample[]): Buffer {
  return encodeBody([{ number: NUMBER, series, samples }], [], 0);
}

/**
 * Reads what `encodeSamples` wrote.
 *
 * @throws {ColumnFault} if the bytes are not so many samples
 */
export function decodeSamples(series: Series, bytes: Buffer, count: number): readonly Sample[] {
  const entries = decodeBody(bytes, new Map([[NUMBER, series]]), { count, wallMs: 0 });
  return entries.flatMap(({ sample }) => sample ?? []);
}

/** Writes samples of one series as the bytes of a block; compression runs on the thread pool. */
export function packSamples(series: Series, samples: readonly Sample[]): Promise<Buffer> {
  return compress(encodeSamples(series, samples), OPTIONS);
}

/**
 * Reads the bytes of a block.
 *
 * @throws errors of the decompression, and {ColumnFault}, if they are damaged
 */
export async function unpackSamples(
  series: Series,
  bytes: Uint8Array,
  count: number,
): Promise<readonly Sample[]> {
  return decodeSamples(series, await decompress(bytes, { maxOutputLength: MAXIMUM_BYTES }), count);
}
