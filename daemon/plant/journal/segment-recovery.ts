import { stat } from 'node:fs/promises';

import { ColumnFault } from './column-reader.ts';
import { decodeNames } from './frame-body.ts';
import { fileOfSegment, listFirstSequences, readFrom } from './segment-files.ts';
import { SegmentNames } from './segment-names.ts';
import { scanFrames } from './segment-scan.ts';
import { SegmentWriter } from './segment-writer.ts';

/** A segment on disk. */
export interface Segment {
  readonly firstSequence: number;
  /** Number of the last entry that it can have. */
  lastSequence: number;
  bytes: number;
  /** Milliseconds since the epoch of its newest frame, or of the last change of its file. */
  newestMs: number;
}

/** The segments of an earlier run. */
export interface RecoveredSegments {
  /** The oldest first. */
  readonly segments: readonly Segment[];
  /** Goes on with the newest one; undefined without any. */
  readonly writer: SegmentWriter | undefined;
  /** Bytes that followed the last frame, and were cut. */
  readonly cutBytes: number;
  /** Milliseconds since the epoch of the newest frame; undefined if none is known. */
  readonly newestMs: number | undefined;
}

/**
 * Lists the segments of a directory and prepares the newest one for more frames.
 *
 * A frame that was being written when the process or the machine stopped is incomplete, and cut. Damage between frames
 * stays where it is: readers name it.
 *
 * @throws errors of the file system
 */
export async function recoverSegments(directory: string): Promise<RecoveredSegments> {
  const numbers = await listFirstSequences(directory);
  const older: Segment[] = [];
  for (const [index, firstSequence] of numbers.slice(0, -1).entries()) {
    const { size, mtimeMs } = await stat(fileOfSegment(directory, firstSequence));
    const lastSequence = (numbers[index + 1] ?? 0) - 1;
    older.push({ firstSequence, lastSequence, bytes: size, newestMs: mtimeMs });
  }
  const newest = numbers.at(-1);
  if (newest === undefined) return { segments: [], writer: undefined, cutBytes: 0, newestMs: undefined };
  const file = fileOfSegment(directory, newest);
  const bytes = await readFrom(file, 0);
  const names = new SegmentNames();
  let [end, lastSequence, newestMs]: [number, number, number | undefined] = [0, newest - 1, undefined];
  for (const scanned of scanFrames(bytes, { from: newest, to: Infinity })) {
    const { head } = scanned.frame;
    learnNames(names, scanned.frame.names);
    end = scanned.end;
    lastSequence = head.firstSequence + head.count - 1;
    newestMs = head.wallMs;
  }
  const writer = await SegmentWriter.resume(directory, newest, { length: end, names });
  const segment = { firstSequence: newest, lastSequence, bytes: end, newestMs: newestMs ?? -Infinity };
  newestMs ??= older.at(-1)?.newestMs;
  return { segments: [...older, segment], writer, cutBytes: bytes.length - end, newestMs };
}

function learnNames(names: SegmentNames, bytes: Buffer): void {
  try {
    names.learn(decodeNames(bytes));
  } catch (error) {
    // Its checksum is right, so another release wrote it; readers name it.
    if (!(error instanceof ColumnFault)) throw error;
  }
}
