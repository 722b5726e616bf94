import { delay } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { parseByteText } from './byte-text.ts';
import { createChecksum } from './checksum.ts';
import type { OpenedFrame } from './checksum.ts';
import { createFrameReader } from './frame-reader.ts';
import { openMeterFrame } from './meter/meter-frames.ts';
import type { FrameReader } from './frame-events.ts';
import type { SerialConfig } from './serial-config.ts';

interface IncomingFramesOptions {
  readonly config: Pick<
    SerialConfig,
    'framing' | 'maximumFrameBytes' | 'responseTimeoutMs' | 'baudRate' | 'checksum' | 'dataBits'
  >;
  readonly clock: Clock;
  /** Receives a copy of each frame, without its checksum. */
  readonly onFrame: (frame: Buffer) => void;
  /** Receives the reason that a frame is damaged: its checksum is wrong. */
  readonly onDamage: (fault: string) => void;
  readonly onFault: (fault: string) => void;
}

// Start bit, eight data bits, parity and stop bit. USB adapters deliver received bytes within 16 ms.
const BITS_OF_A_CHARACTER = 11;
const CHARACTERS_OF_A_PAUSE = 4;
const SHORTEST_PAUSE_MS = 20;

/**
 * Received frames of a line, complete or not at all: half of a number is a number as well, and a pattern may not detect
 * a missing beginning.
 */
export class IncomingFrames {
  readonly #reader: FrameReader;
  readonly #options: IncomingFramesOptions;
  /** Longest usual pause within a frame. */
  readonly #pauseMs: number;
  #openedMs = Number.NEGATIVE_INFINITY;
  #lastByteMs = Number.NEGATIVE_INFINITY;
  /** True if nothing was received since the line was opened, possibly within a frame. */
  #isBeginningUnknown = false;
  #byteCount = 0;
  #frameCount = 0;

  constructor(options: IncomingFramesOptions) {
    const { config, clock, onFrame, onDamage, onFault } = options;
    const { framing, maximumFrameBytes, baudRate } = config;
    const { bytesAfterDelimiter, open } = createOpening(config);
    const charactersMs = (CHARACTERS_OF_A_PAUSE * BITS_OF_A_CHARACTER * 1000) / baudRate;
    const gapMs = framing.type === 'idleGap' ? framing.gapMs : 0;
    this.#options = options;
    this.#pauseMs = Math.max(SHORTEST_PAUSE_MS, charactersMs, gapMs);
    this.#reader = createFrameReader({
      framing,
      maximumFrameBytes,
      bytesAfterDelimiter,
      clock,
      events: {
        onFrame: (frame) => {
          this.#frameCount += 1;
          const { content, fault } = open(frame);
          if (fault === undefined) onFrame(content);
          else onDamage(fault);
        },
        onFault,
      },
    });
  }

  /** Number of received bytes. */
  get byteCount(): number {
    return this.#byteCount;
  }

  /** Time of the last byte, by the monotonic clock. */
  get lastByteMs(): number {
    return this.#lastByteMs;
  }

  /**
   * Records that the line was opened: an incomplete frame does not continue, and the next bytes may be the rest of one.
   */
  recordOpened(): void {
    this.#reader.reset();
    this.#openedMs = this.#options.clock.monotonicMs();
    this.#isBeginningUnknown = true;
  }

  push(bytes: Buffer): void {
    const quietMs = this.#quietMs();
    const isRest = this.#isBeginningUnknown
      ? quietMs < this.#pauseMs
      : this.#reader.isWithinFrame && quietMs > this.#options.config.responseTimeoutMs;
    // After this pause an incomplete frame does not continue; or its beginning may belong to another frame.
    if (isRest) this.#reader.skipRest();
    this.#isBeginningUnknown = false;
    this.#lastByteMs = this.#options.clock.monotonicMs();
    this.#byteCount += bytes.length;
    this.#reader.push(bytes);
  }

  /**
   * Prepares for the response to the next request: waits for a frame in progress and discards noise.
   *
   * @throws the reason of the signal
   */
  async settle(signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options;
    const deadlineMs = clock.monotonicMs() + config.responseTimeoutMs;
    const before = this.#frameCount;
    while (this.#isFrameComing()) {
      // On a busy line the next frame has begun: it stays complete and is not a response.
      if (this.#frameCount !== before) return;
      const leftMs = deadlineMs - clock.monotonicMs();
      if (leftMs <= 0) return this.#reader.skipRest();
      await delay(clock, Math.min(leftMs, this.#pauseMs - this.#quietMs()), signal);
    }
    this.#isBeginningUnknown = false;
    this.#reader.reset();
  }

  #isFrameComing(): boolean {
    return (this.#isBeginningUnknown || this.#reader.isWithinFrame) && this.#quietMs() < this.#pauseMs;
  }

  #quietMs(): number {
    return this.#options.clock.monotonicMs() - Math.max(this.#lastByteMs, this.#openedMs);
  }
}

interface Opening {
  readonly bytesAfterDelimiter: number;
  readonly open: (frame: Buffer) => OpenedFrame;
}

function createOpening({ checksum: setting, dataBits, framing }: IncomingFramesOptions['config']): Opening {
  if (framing.type === 'IEC62056_21') return { bytesAfterDelimiter: 0, open: openMeterFrame };
  if (setting === undefined) return { bytesAfterDelimiter: 0, open: (frame) => ({ content: frame }) };
  const checksum = createChecksum(setting, dataBits);
  const { bytesAfterDelimiter } = checksum;
  const delimiterBytes =
    bytesAfterDelimiter > 0 && framing.type === 'delimiter'
      ? parseByteText(framing.delimiter, 'ascii').length
      : 0;
  return {
    bytesAfterDelimiter,
    open(frame) {
      const opened = checksum.open(frame);
      if (opened.content === undefined || delimiterBytes === 0) return opened;
      return { content: opened.content.subarray(0, opened.content.length - delimiterBytes) };
    },
  };
}
