import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';

import { encodeFrame } from './frame.ts';
import type { FrameHead } from './frame.ts';
import { encodeBody, encodeNames } from './frame-body.ts';
import type { SampleGroup, SeriesNames } from './frame-body.ts';
import type { Gap, JournalEntry, Sample } from './sample.ts';
import { keyOfSeries } from './segment-names.ts';
import type { SegmentNames } from './segment-names.ts';

const compress = promisify(zstdCompress);
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Writes entries as a frame; compression runs on the thread pool.
 *
 * @param entries at least one; those of a channel keep their order
 * @param names of the segment; new series get numbers
 * @returns the frame, and the names in it, which the segment has learned once the frame is on disk
 */
export async function encodeEntries(
  entries: readonly JournalEntry[],
  head: Omit<FrameHead, 'count'>,
  names: SegmentNames,
): Promise<{ readonly frame: Buffer; readonly named: SeriesNames }> {
  const groups = groupSamples(entries, names);
  const gaps = entries.map(({ gap }) => gap).filter((gap): gap is Gap => gap !== undefined);
  const body = await compress(encodeBody(groups, gaps, head.wallMs), LEVEL);
  const named = names.listDue();
  const frame = encodeFrame({
    head: { ...head, count: entries.length },
    names: encodeNames(named),
    body,
  });
  return { frame, named };
}

function groupSamples(entries: readonly JournalEntry[], names: SegmentNames): readonly SampleGroup[] {
  const groups = new Map<string, { number: number; series: Sample['series']; samples: Sample[] }>();
  for (const { sample } of entries) {
    if (sample === undefined) continue;
    const { series } = sample;
    const key = keyOfSeries(series);
    const group = groups.get(key);
    if (group !== undefined) group.samples.push(sample);
    else groups.set(key, { number: names.numberOf(series), series, samples: [sample] });
  }
  return [...groups.values()];
}
