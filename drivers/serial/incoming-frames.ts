import { delay } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { createFrameReader } from './frame-reader.ts';
import type { FrameReader } from './frame-reader.ts';
import type { SerialConfig } from './serial-config.ts';

interface IncomingFramesOptions {
  readonly config: Pick<SerialConfig, 'framing' | 'maximumFrameBytes' | 'responseTimeoutMs' | 'baudRate'>;
  readonly clock: Clock;
  /** Gets a copy of each frame. */
  readonly onFrame: (frame: Buffer) => void;
  readonly onFault: (fault: string) => void;
}

// Start, eight data bits, parity and stop. USB adapters hand over what came in within 16 ms.
const BITS_OF_A_CHARACTER = 11;
const CHARACTERS_OF_A_PAUSE = 4;
const SHORTEST_PAUSE_MS = 20;

/**
 * The frames that come in through a line, each whole or not at all: half of a number is a number as well, and a pattern need not
 * notice that its beginning is missing.
 */
export class IncomingFrames {
  readonly #reader: FrameReader;
  readonly #options: IncomingFramesOptions;
  /** Within a frame there are no longer pauses, as a rule. */
  readonly #pauseMs: number;
  #openedMs = Number.NEGATIVE_INFINITY;
  #lastByteMs = Number.NEGATIVE_INFINITY;
  /** Nothing has come since the line was opened, perhaps within a frame. */
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

  /** Number of bytes that have come in. */
  get byteCount(): number {
    return this.#byteCount;
  }

  /** When the last byte came in, by the monotonic clock. */
  get lastByteMs(): number {
    return this.#lastByteMs;
  }

  /** Notes that the line was opened: what was begun before is not continued, and what comes may be the rest of a frame. */
  noteOpened(): void {
    this.#reader.reset();
    this.#openedMs = this.#options.clock.monotonicMs();
    this.#isBeginningUnknown = true;
  }

  push(bytes: Buffer): void {
    const quietMs = this.#quietMs();
    const isRest = this.#isBeginningUnknown
      ? quietMs < this.#pauseMs
      : this.#reader.isWithinFrame && quietMs > this.#options.config.responseTimeoutMs;
    // What was broken off this long ago is not continued; or it is, and then its beginning may belong to another one.
    if (isRest) this.#reader.skipRest();
    this.#isBeginningUnknown = false;
    this.#lastByteMs = this.#options.clock.monotonicMs();
    this.#byteCount += bytes.length;
    this.#reader.push(bytes);
  }

  /**
   * Makes ready for the answer to what is sent next: a frame that is coming in is waited for, and what noise has left is forgotten.
   *
   * @throws the reason of the signal
   */
  async settle(signal: AbortSignal): Promise<void> {
    const { clock, config } = this.#options;
    const deadlineMs = clock.monotonicMs() + config.responseTimeoutMs;
    const before = this.#frameCount;
    while (this.#isFrameComing()) {
      // On a line that never rests, the next frame has begun: it stays whole, and is no answer.
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
