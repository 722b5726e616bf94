import type { Clock } from '../../daemon/base/clock.ts';
import { InvalidResponse, NoResponse } from './serial-errors.ts';

/** A received frame. */
export interface Frame {
  readonly bytes: Buffer;
  /** Milliseconds since the epoch when its end arrived. */
  readonly timestampMs: number;
}

/** Returns the error in a frame; undefined if it is the expected one. */
export type FrameCheck = (frame: Buffer) => string | undefined;

export interface WaitOptions {
  readonly check: FrameCheck;
  /**
   * True for the response to a request, which belongs to that request alone; an unrequested frame is delivered to all
   * that wait for it.
   */
  readonly isResponse: boolean;
  readonly signal: AbortSignal;
}

interface Wait {
  readonly options: WaitOptions;
  readonly succeed: (frame: Frame) => void;
  readonly fail: (error: unknown) => void;
  /** Reason for ignoring the newest frame. */
  fault: string | undefined;
}

/** Delivers each frame to the pending calls that match it. */
export class FrameWaits {
  readonly #waits = new Set<Wait>();
  readonly #options: { readonly device: string; readonly timeoutMs: number; readonly clock: Clock };

  constructor(options: { readonly device: string; readonly timeoutMs: number; readonly clock: Clock }) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waits.size === 0;
  }

  /**
   * Waits for a frame that passes the check; others are ignored.
   *
   * @throws {NoResponse} if none arrived in time; {InvalidResponse} if only others arrived
   * @throws the reason of the signal, or the error of `failAll`
   */
  wait(options: WaitOptions): Promise<Frame> {
    const { device, timeoutMs, clock } = this.#options;
    const { signal, isResponse } = options;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waits.delete(wait);
        cancelTimeout();
        signal.removeEventListener('abort', onAbort);
      };
      const wait: Wait = {
        options,
        fault: undefined,
        succeed(frame) {
          end();
          resolve(frame);
        },
        fail(error) {
          end();
          reject(error);
        },
      };
      const onAbort = (): void => wait.fail(signal.reason);
      const cancelTimeout = clock.schedule(timeoutMs, () => {
        wait.fail(
          wait.fault === undefined
            ? new NoResponse(device, timeoutMs, isResponse)
            : new InvalidResponse(device, wait.fault),
        );
      });
      this.#waits.add(wait);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /**
   * Distributes a frame.
   *
   * @returns true if a pending call accepted it
   */
  offer(frame: Frame): boolean {
    const waits = Array.from(this.#waits);
    const taker = waits.find((wait) => wait.options.isResponse && passes(wait, frame));
    const takers =
      taker === undefined ? waits.filter((wait) => !wait.options.isResponse && passes(wait, frame)) : [taker];
    for (const wait of takers) wait.succeed(frame);
    return takers.length > 0;
  }

  /** Records in every pending call that bytes without a frame were received. */
  recordFault(fault: string): void {
    for (const wait of this.#waits) wait.fault = fault;
  }

  /** Fails all pending calls. */
  failAll(error: unknown): void {
    for (const wait of Array.from(this.#waits)) wait.fail(error);
  }
}

function passes(wait: Wait, { bytes }: Frame): boolean {
  const fault = wait.options.check(bytes);
  if (fault !== undefined) wait.fault = fault;
  return fault === undefined;
}
