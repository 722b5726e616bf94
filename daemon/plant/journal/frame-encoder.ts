import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';

import { encodeFrame } from './frame.ts';
import type { FrameHead } from './frame.ts';
import { countEntries, encodeBody, encodeNames } from './frame-body.ts';
import type { BodyContent, SeriesNames } from './frame-body.ts';
import type { SegmentNames } from './segment-names.ts';

const compress = promisify(zstdCompress);
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Writes entries as a frame; compression runs on the thread pool.
 *
 * @param content at least one entry
 * @param names of the segment; new series get numbers
 * @returns the frame, and the names in it, which the segment has learned once the frame is on disk
 */
export async function encodeEntries(
  content: BodyContent,
  head: Omit<FrameHead, 'count'>,
  names: SegmentNames,
): Promise<{ readonly frame: Buffer; readonly named: SeriesNames }> {
  const { samples, gaps } = content;
  const groups = samples.map((columns) => ({ number: names.numberOf(columns.series), columns }));
  const body = await compress(encodeBody(groups, gaps, head.wallMs), LEVEL);
  const named = names.listDue();
  const frame = encodeFrame({
    head: { ...head, count: countEntries(content) },
    names: encodeNames(named),
    body,
  });
  return { frame, named };
}
