import type { Cancel, Clock } from '../../../daemon/base/clock.ts';

export interface IdleCloseOptions {
  readonly clock: Pick<Clock, 'schedule' | 'monotonicMs'>;
  /** Milliseconds without a request after which the link is closed; undefined: never. */
  readonly afterMs: number | undefined;
  /** Returns for how many milliseconds the link is kept at least: what was waited for is used by the next request. */
  readonly keepMs: () => number;
  /** Whether a request is under way or waits. */
  readonly isBusy: () => boolean;
  readonly close: () => void;
}

/** Has a link closed that is not used. */
export class IdleClose {
  readonly #options: IdleCloseOptions;
  #cancel: Cancel | undefined;
  #awaitedUntilMs = 0;

  constructor(options: IdleCloseOptions) {
    this.#options = options;
  }

  /** Records that the link is used or was opened, and begins the time again. */
  begin(): void {
    const { clock, afterMs, keepMs } = this.#options;
    if (afterMs === undefined) return;
    this.#cancel?.();
    const delayMs = Math.max(afterMs, keepMs(), this.#awaitedUntilMs - clock.monotonicMs());
    this.#cancel = clock.schedule(delayMs, () => this.#onIdle());
  }

  /** Keeps the link open for that long: the late answer to a probe counts as well. */
  keepFor(ms: number): void {
    this.#awaitedUntilMs = this.#options.clock.monotonicMs() + ms;
  }

  /** Closes nothing any more. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  // A request that is under way begins the time again when it ends.
  #onIdle(): void {
    const { isBusy, close } = this.#options;
    if (!isBusy()) close();
  }
}
