import { delay } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { createFrameReader } from './frame-reader.ts';
import type { FrameReader } from './frame-reader.ts';
import type { SerialConfig } from './serial-config.ts';

interface IncomingFramesOptions {
  readonly config: Pick<SerialConfig, 'framing' | 'maximumFrameBytes' | 'responseTimeoutMs' | 'baudRate'>;
  readonly clock: Clock;
  /** Receives a copy of each frame. */
  readonly onFrame: (frame: Buffer) => void;
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
    const { config, clock, onFrame, onFault } = options;
    const { framing, maximumFrameBytes, baudRate } = config;
    const charactersMs = (CHARACTERS_OF_A_PAUSE * BITS_OF_A_CHARACTER * 1000) / baudRate;
    const gapMs = framing.type === 'idleGap' ? framing.gapMs : 0;
    this.#options = options;
    this.#pauseMs = Math.max(SHORTEST_PAUSE_MS, charactersMs, gapMs);
    this.#reader = createFrameReader({
      framing,
      maximumFrameBytes,
      clock,
      events: {
        onFrame: (frame) => {
          this.#frameCount += 1;
          onFrame(frame);
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
