/** The part of a segment that determines its retention. */
export interface KeptSegment {
  /** Number of the last entry in it. */
  readonly lastSequence: number;
  readonly bytes: number;
  /** Milliseconds since the epoch of its newest frame. */
  readonly newestMs: number;
}

/** Bounds of the segments that are kept. */
export interface RetentionBounds {
  /** Number up to which every consumer has acknowledged; Infinity without any. */
  readonly acknowledged: number;
  readonly maximumBytes: number;
  /** Milliseconds since the epoch; older segments go. */
  readonly oldestMs: number;
}

/**
 * Returns how many segments go, the oldest first: those that every consumer has acknowledged, those that are too old, and those
 * beyond the maximum size. The newest one, which is being written, stays.
 *
 * @param segments the oldest first
 */
export function countTrimmed(
  segments: readonly KeptSegment[],
  { acknowledged, maximumBytes, oldestMs }: RetentionBounds,
): number {
  let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  let count = 0;
  for (const segment of segments.slice(0, -1)) {
    const isDone = segment.lastSequence <= acknowledged;
    if (!isDone && segment.newestMs >= oldestMs && bytes <= maximumBytes) break;
    bytes -= segment.bytes;
    count += 1;
  }
  return count;
}
