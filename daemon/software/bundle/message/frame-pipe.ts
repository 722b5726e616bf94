import type { Duplex } from 'node:stream';

import type { Clock } from '../../../base/clock.ts';
import { BundleError } from '../bundle-error.ts';
import { encodeFrame, FrameReader } from './frame-reader.ts';
import type { TokenBucket } from './token-bucket.ts';

/** Maximum number of bytes buffered for a peer that does not read. */
const MAXIMUM_WAITING_BYTES = 4_194_304;

interface FramePipeOptions {
  readonly stream: Duplex;
  /** Maximum message rate; backpressure slows down a faster sender. Absent: unlimited. */
  readonly pace?: { readonly frames: TokenBucket; readonly bytes: TokenBucket } | undefined;
  /** May throw a `BundleError`, which ends the pipe. */
  readonly onFrame: (frame: Buffer) => void;
  /** Called once, when the pipe is closed or a message is not valid. */
  readonly onEnd: (error: BundleError | undefined) => void;
  readonly clock: Clock;
}

/** Carries messages over a byte stream, and receives them at a limited rate. */
export class FramePipe {
  readonly #options: FramePipeOptions;
  readonly #reader = new FrameReader();
  #isEnded = false;

  constructor(options: FramePipeOptions) {
    this.#options = options;
    const { stream } = options;
    stream.on('data', (chunk: Buffer) => {
      this.#reader.push(chunk);
      this.#drain();
    });
    stream.on('error', () => this.#end(undefined));
    stream.on('close', () => this.#end(undefined));
    stream.on('end', () => this.#end(undefined));
  }

  /**
   * Sends a message.
   *
   * @throws {BundleError} `BUNDLE_ENDED` when the pipe is closed; `BUNDLE_OVERLOADED` when the peer does not read, or the
   *   message is too long
   */
  send(message: string): void {
    const { stream } = this.#options;
    if (this.#isEnded) throw new BundleError('BUNDLE_ENDED', 'the bundle has ended');
    if (stream.writableLength > MAXIMUM_WAITING_BYTES) {
      throw new BundleError('BUNDLE_OVERLOADED', 'the bundle does not read its messages');
    }
    stream.write(encodeFrame(message));
  }

  /** Closes the pipe; no further message is delivered. */
  close(): void {
    this.#isEnded = true;
    this.#options.stream.destroy();
  }

  #drain(): void {
    const { stream, pace, onFrame, clock } = this.#options;
    try {
      while (!this.#isEnded) {
        const waitMs = pace === undefined ? 0 : Math.max(pace.frames.waitMs(), pace.bytes.waitMs());
        if (waitMs > 0) {
          stream.pause();
          clock.schedule(waitMs, () => this.#drain());
          return;
        }
        const frame = this.#reader.next();
        if (frame === undefined) break;
        pace?.frames.spend(1);
        pace?.bytes.spend(frame.length);
        onFrame(frame);
      }
      if (stream.isPaused() && !this.#isEnded) stream.resume();
    } catch (error) {
      if (!(error instanceof BundleError)) throw error;
      this.#end(error);
    }
  }

  #end(error: BundleError | undefined): void {
    if (this.#isEnded) return;
    this.close();
    this.#options.onEnd(error);
  }
}
