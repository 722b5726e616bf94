/** Callbacks of a frame reader; a frame is a copy. */
export interface FrameEvents {
  readonly onFrame: (frame: Buffer) => void;
  /** Bytes were discarded because they form no frame within the limit. */
  readonly onFault: (fault: string) => void;
}

/** Splits a byte stream into frames; buffers at most one incomplete frame. */
export interface FrameReader {
  /** True if bytes of an incomplete frame were received. */
  readonly isWithinFrame: boolean;
  push(bytes: Buffer): void;
  /** Discards the bytes of an incomplete frame; the next bytes start a frame. */
  reset(): void;
  /** Discards the incomplete frame and, if its end is detectable, the rest of it. */
  skipRest(): void;
}
