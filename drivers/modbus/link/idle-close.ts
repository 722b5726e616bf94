import type { Cancel, Clock } from '../../../daemon/base/clock.ts';

export interface IdleCloseOptions {
  readonly clock: Pick<Clock, 'schedule' | 'monotonicMs'>;
  /** Milliseconds without a request after which the link is closed; undefined: never. */
  readonly afterMs: number | undefined;
  /**
   * Returns the minimum time to keep the link, in milliseconds: the next request benefits from a completed delay or
   * warm-up.
   */
  readonly keepMs: () => number;
  /** True if a request is outstanding or queued. */
  readonly isBusy: () => boolean;
  readonly close: () => void;
}

/** Closes an idle link. */
export class IdleClose {
  readonly #options: IdleCloseOptions;
  #cancel: Cancel | undefined;
  #awaitedUntilMs = 0;

  constructor(options: IdleCloseOptions) {
    this.#options = options;
  }

  /** Records that the link is used or was opened, and restarts the idle time. */
  begin(): void {
    const { clock, afterMs, keepMs } = this.#options;
    if (afterMs === undefined) return;
    this.#cancel?.();
    const delayMs = Math.max(afterMs, keepMs(), this.#awaitedUntilMs - clock.monotonicMs());
    this.#cancel = clock.schedule(delayMs, () => this.#onIdle());
  }

  /** Keeps the link open for `ms`, because a late response to a probe counts as well. */
  keepFor(ms: number): void {
    this.#awaitedUntilMs = this.#options.clock.monotonicMs() + ms;
  }

  /** Stops closing idle links. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  // An outstanding request restarts the idle time when it ends.
  #onIdle(): void {
    const { isBusy, close } = this.#options;
    if (!isBusy()) close();
  }
}
