import type { Cancel, Clock } from '../../daemon/base/clock.ts';
import { parseByteText } from './byte-text.ts';
import type { FrameEvents, FrameReader } from './frame-events.ts';
import type { Framing } from './framing.ts';
import { MeterFrameReader } from './meter/meter-frames.ts';

export interface FrameReaderOptions {
  readonly framing: Framing;
  /** A longer frame is discarded. */
  readonly maximumFrameBytes: number;
  /** Bytes of a frame after its delimiter; the frame then includes the delimiter. Default: 0. */
  readonly bytesAfterDelimiter?: number | undefined;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly events: FrameEvents;
}

/** Creates the reader of a framing. */
export function createFrameReader({
  framing,
  maximumFrameBytes,
  bytesAfterDelimiter = 0,
  clock,
  events,
}: FrameReaderOptions): FrameReader {
  switch (framing.type) {
    case 'delimiter':
      return new DelimiterReader(
        { delimiter: parseByteText(framing.delimiter, 'ascii'), bytesAfter: bytesAfterDelimiter },
        maximumFrameBytes,
        events,
      );
    case 'fixedLength':
      return new LengthReader(() => framing.length, maximumFrameBytes, events);
    case 'lengthField':
      return new LengthReader((bytes) => readFrameLength(framing, bytes), maximumFrameBytes, events);
    case 'IEC62056_21':
      return new MeterFrameReader(framing.mode, maximumFrameBytes, events);
    case 'idleGap':
      return new GapReader({ gapMs: framing.gapMs, clock }, maximumFrameBytes, events);
  }
}

/** Bytes of an incomplete frame, in a buffer that grows up to the limit. */
class FrameBuffer {
  #bytes = Buffer.alloc(256);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  append(byte: number): void {
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * this.#length);
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  clear(): void {
    this.#length = 0;
  }
}

const NOTHING = Buffer.alloc(0);

class DelimiterReader implements FrameReader {
  readonly #buffer = new FrameBuffer();
  readonly #delimiter: Buffer;
  readonly #bytesAfter: number;
  readonly #lastByte: number | undefined;
  readonly #maximumBytes: number;
  readonly #events: FrameEvents;
  /** True if the frame is too long: all bytes before the next delimiter belong to it. */
  #isSkipping = false;
  /** Missing part of a split delimiter that ends a discarded frame and does not belong to the next. */
  #restOfDelimiter: Buffer = NOTHING;
  /** Missing bytes after the delimiter. */
  #missingAfter = 0;

  constructor(
    { delimiter, bytesAfter }: { readonly delimiter: Buffer; readonly bytesAfter: number },
    maximumBytes: number,
    events: FrameEvents,
  ) {
    this.#delimiter = delimiter;
    this.#bytesAfter = bytesAfter;
    this.#lastByte = delimiter.at(-1);
    this.#maximumBytes = maximumBytes;
    this.#events = events;
  }

  get isWithinFrame(): boolean {
    return this.#isSkipping || this.#buffer.bytes.length > 0;
  }

  push(bytes: Buffer): void {
    for (const byte of bytes) {
      if (this.#isRestOfDelimiter(byte)) continue;
      this.#buffer.append(byte);
      const collected = this.#buffer.bytes;
      const length = collected.length - this.#delimiter.length;
      if (this.#missingAfter > 0) {
        this.#missingAfter -= 1;
        if (this.#missingAfter === 0) this.#emit(collected);
      } else if (
        byte === this.#lastByte &&
        length >= 0 &&
        collected.subarray(length).equals(this.#delimiter)
      ) {
        if (this.#bytesAfter === 0) this.#emit(collected.subarray(0, length));
        else this.#missingAfter = this.#bytesAfter;
      } else if (length >= this.#maximumBytes) {
        this.#skip(collected);
      }
    }
  }

  skipRest(): void {
    this.#buffer.clear();
    this.#missingAfter = 0;
    this.#isSkipping = true;
  }

  reset(): void {
    if (this.#missingAfter > 0) return this.#clear();
    const collected = this.#buffer.bytes;
    let length = Math.min(collected.length, this.#delimiter.length - 1);
    while (!collected.subarray(collected.length - length).equals(this.#delimiter.subarray(0, length)))
      length -= 1;
    if (length > 0) this.#restOfDelimiter = this.#delimiter.subarray(length);
    this.#clear();
  }

  #emit(bytes: Buffer): void {
    const frame = Buffer.from(bytes);
    const wasSkipping = this.#isSkipping;
    this.#clear();
    if (!wasSkipping) this.#events.onFrame(frame);
  }

  #clear(): void {
    this.#buffer.clear();
    this.#isSkipping = false;
    this.#missingAfter = 0;
  }

  #isRestOfDelimiter(byte: number): boolean {
    const rest = this.#restOfDelimiter;
    const isPartOfIt = rest[0] === byte;
    this.#restOfDelimiter = isPartOfIt ? rest.subarray(1) : NOTHING;
    return isPartOfIt;
  }

  #skip(collected: Buffer): void {
    // The last bytes may be the beginning of the delimiter.
    const tail = Buffer.from(collected.subarray(collected.length - this.#delimiter.length + 1));
    this.#buffer.clear();
    for (const byte of tail) this.#buffer.append(byte);
    if (this.#isSkipping) return;
    this.#isSkipping = true;
    this.#events.onFault(`no delimiter within ${this.#maximumBytes} bytes`);
  }
}

class LengthReader implements FrameReader {
  readonly #buffer = new FrameBuffer();
  readonly #findLength: (bytes: Buffer) => number | undefined;
  readonly #maximumBytes: number;
  readonly #events: FrameEvents;

  /** @param findLength returns the length of the frame at the beginning of the bytes; undefined while unknown */
  constructor(findLength: (bytes: Buffer) => number | undefined, maximumBytes: number, events: FrameEvents) {
    this.#findLength = findLength;
    this.#maximumBytes = maximumBytes;
    this.#events = events;
  }

  get isWithinFrame(): boolean {
    return this.#buffer.bytes.length > 0;
  }

  push(bytes: Buffer): void {
    for (const byte of bytes) {
      this.#buffer.append(byte);
      const collected = this.#buffer.bytes;
      const length = this.#findLength(collected);
      if (length === undefined) continue;
      if (length > this.#maximumBytes || length < collected.length) {
        this.reset();
        // The start of the next frame is unknown: the rest would be interpreted as lengths.
        return this.#events.onFault(
          `a frame of ${length} bytes was announced; expected at most ${this.#maximumBytes}`,
        );
      }
      if (length > collected.length) continue;
      const frame = Buffer.from(collected);
      this.reset();
      this.#events.onFrame(frame);
    }
  }

  reset(): void {
    this.#buffer.clear();
  }

  // The end of the frame is not detectable.
  skipRest(): void {
    this.reset();
  }
}

class GapReader implements FrameReader {
  readonly #buffer = new FrameBuffer();
  readonly #gap: { readonly gapMs: number; readonly clock: Pick<Clock, 'schedule'> };
  readonly #maximumBytes: number;
  readonly #events: FrameEvents;
  #isSkipping = false;
  #cancelGap: Cancel | undefined;

  constructor(
    gap: { readonly gapMs: number; readonly clock: Pick<Clock, 'schedule'> },
    maximumBytes: number,
    events: FrameEvents,
  ) {
    this.#gap = gap;
    this.#maximumBytes = maximumBytes;
    this.#events = events;
  }

  get isWithinFrame(): boolean {
    return this.#isSkipping || this.#buffer.bytes.length > 0;
  }

  push(bytes: Buffer): void {
    const { gapMs, clock } = this.#gap;
    this.#cancelGap?.();
    this.#cancelGap = clock.schedule(gapMs, () => this.#onGap());
    if (this.#isSkipping) return;
    for (const byte of bytes.subarray(0, this.#maximumBytes + 1)) this.#buffer.append(byte);
    if (this.#buffer.bytes.length <= this.#maximumBytes) return;
    this.#buffer.clear();
    this.#isSkipping = true;
    this.#events.onFault(`no silence of ${gapMs} ms within ${this.#maximumBytes} bytes`);
  }

  skipRest(): void {
    this.#buffer.clear();
    this.#isSkipping = true;
  }

  reset(): void {
    this.#cancelGap?.();
    this.#buffer.clear();
    this.#isSkipping = false;
  }

  #onGap(): void {
    const frame = Buffer.from(this.#buffer.bytes);
    this.reset();
    if (frame.length > 0) this.#events.onFrame(frame);
  }
}

function readFrameLength(
  framing: Extract<Framing, { type: 'lengthField' }>,
  bytes: Buffer,
): number | undefined {
  const { offset, size, byteOrder, adjustment } = framing;
  const end = offset + size;
  if (bytes.length < end) return undefined;
  const field = byteOrder === 'BIG_ENDIAN' ? bytes.readUIntBE(offset, size) : bytes.readUIntLE(offset, size);
  return end + field + adjustment;
}
