import { decodeFrame, findFrameLength, findMagic, HEAD_BYTES } from './frame.ts';
import type { Frame } from './frame.ts';

/** A frame of a segment, and its position. */
export interface ScannedFrame {
  readonly frame: Frame;
  /** Bytes of the segment before it. */
  readonly offset: number;
  /** Bytes of the segment up to its end. */
  readonly end: number;
}

/** The numbers that the entries of a segment can have. */
export interface SequenceRange {
  /** The first number. */
  readonly from: number;
  /** The number after the last one; Infinity in the newest segment. */
  readonly to: number;
}

/**
 * Lists the intact frames of a segment in order; what lies between them is damaged.
 *
 * After damage the search continues at the next frame with a valid checksum and higher sequence numbers, because the values of a
 * channel may contain the bytes of a frame.
 *
 * @param bytes of the segment from `base` on
 * @param base bytes of the segment before `bytes`; a frame begins there
 */
export function* scanFrames(bytes: Buffer, range: SequenceRange, base = 0): Generator<ScannedFrame> {
  let next = range.from;
  let offset: number | undefined = 0;
  while (offset !== undefined && offset + HEAD_BYTES <= bytes.length) {
    const length = findFrameLength(bytes, offset);
    const end = offset + (length ?? 0);
    const frame =
      length === undefined || end > bytes.length ? undefined : decodeFrame(bytes.subarray(offset, end));
    if (frame === undefined || !isInPlace(frame, next, range.to)) {
      offset = findMagic(bytes, offset + 1);
      continue;
    }
    yield { frame, offset: base + offset, end: base + end };
    next = frame.head.firstSequence + frame.head.count;
    offset = end;
  }
}

function isInPlace({ head }: Frame, next: number, to: number): boolean {
  return head.firstSequence >= next && head.firstSequence + head.count <= to;
}
