import { createReason } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { SERIAL_FAILURES } from './sentences/failure-sentences.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { quoteBytes } from './byte-text.ts';
import { ChecksumMismatch, InstrumentRefusal, InvalidResponse, NoResponse } from './serial-errors.ts';

/** Returns the reason of a silence. */
export type ExplainSilence = (values: { readonly device: string; readonly timeoutMs: number }) => FaultReason;

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
  /** Returns true if the frame is an answer that says no; asked before `check`. */
  readonly isRefusal?: ((frame: Buffer) => boolean) | undefined;
  /** True if a damaged frame ends the wait, because the request is then repeated. */
  readonly endsOnDamage?: boolean | undefined;
  /**
   * True for the response to a request, which belongs to that request alone; an unrequested frame is delivered to all
   * that wait for it.
   */
  readonly isResponse: boolean;
  /** Longest silence, instead of the time-out of the line for the whole wait; and what is missing after it. */
  readonly silence?: { readonly ms: number; readonly explain: ExplainSilence } | undefined;
  readonly signal: AbortSignal;
}

interface Wait {
  readonly options: WaitOptions;
  readonly succeed: (frame: Frame) => void;
  readonly fail: (error: unknown) => void;
  /** Begins the longest silence again. */
  readonly extend: () => void;
  /** Reason for ignoring the newest frame. */
  fault: { readonly text: string; readonly isDamage: boolean } | undefined;
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
   * @throws {NoResponse} if none arrived in time; {InvalidResponse} or {ChecksumMismatch} if only others arrived
   * @throws {InstrumentRefusal}
   * @throws the reason of the signal, or the error of `failAll`
   */
  wait(options: WaitOptions): Promise<Frame> {
    const { device, timeoutMs, clock } = this.#options;
    const { signal, isResponse, silence } = options;
    const waitMs = silence?.ms ?? timeoutMs;
    const code = isResponse ? 'INSTRUMENT_SILENT' : 'INSTRUMENT_SENT_NOTHING';
    const explain: ExplainSilence =
      silence?.explain ?? ((values) => createReason(SERIAL_FAILURES, code, values));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waits.delete(wait);
        cancelTimeout();
        signal.removeEventListener('abort', onAbort);
      };
      const wait: Wait = {
        options,
        fault: undefined,
        extend() {
          if (silence === undefined) return;
          cancelTimeout();
          cancelTimeout = clock.schedule(waitMs, onTimeout);
        },
        succeed(frame) {
          end();
          resolve(frame);
        },
        fail(error) {
          end();
          reject(error);
        },
      };
      const createTimeoutError = (): Error => {
        if (wait.fault === undefined) return new NoResponse(explain({ device, timeoutMs: waitMs }));
        const { text, isDamage } = wait.fault;
        return isDamage ? new ChecksumMismatch(device, text) : new InvalidResponse(device, text);
      };
      const onAbort = (): void => wait.fail(signal.reason);
      const onTimeout = (): void => wait.fail(createTimeoutError());
      let cancelTimeout = clock.schedule(waitMs, onTimeout);
      this.#waits.add(wait);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /**
   * Distributes a frame.
   *
   * @returns true if a pending call accepted it, or it refuses one
   */
  offer(frame: Frame): boolean {
    const waits = Array.from(this.#waits);
    const refused = waits.find(({ options }) => options.isRefusal?.(frame.bytes) === true);
    if (refused !== undefined) {
      refused.fail(new InstrumentRefusal(this.#options.device, quoteBytes(frame.bytes)));
      return true;
    }
    const taker = waits.find((wait) => wait.options.isResponse && passes(wait, frame));
    const takers =
      taker === undefined ? waits.filter((wait) => !wait.options.isResponse && passes(wait, frame)) : [taker];
    for (const wait of takers) wait.succeed(frame);
    return takers.length > 0;
  }

  /** Records that bytes arrived. */
  recordBytes(): void {
    for (const wait of this.#waits) wait.extend();
  }

  /** Records in every pending call that bytes without a frame were received. */
  recordFault(text: string): void {
    for (const wait of this.#waits) wait.fault = { text, isDamage: false };
  }

  /** Records in every pending call that a damaged frame was received. */
  recordDamage(text: string): void {
    for (const wait of Array.from(this.#waits)) {
      if (wait.options.endsOnDamage === true) wait.fail(new ChecksumMismatch(this.#options.device, text));
      else wait.fault = { text, isDamage: true };
    }
  }

  /** Fails all pending calls. */
  failAll(error: unknown): void {
    for (const wait of Array.from(this.#waits)) wait.fail(error);
  }
}

function passes(wait: Wait, { bytes }: Frame): boolean {
  const fault = wait.options.check(bytes);
  if (fault !== undefined) wait.fault = { text: fault, isDamage: false };
  return fault === undefined;
}
