import type { Cancel, Clock } from '../../daemon/base/clock.ts';

export interface IdleCloseOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Milliseconds without a request after which the link is closed; undefined: never. */
  readonly afterMs: number | undefined;
  /** Whether a request is under way or waits. */
  readonly isBusy: () => boolean;
  readonly close: () => void;
}

/** Has a link closed that is not used. */
export class IdleClose {
  readonly #options: IdleCloseOptions;
  #cancel: Cancel | undefined;

  constructor(options: IdleCloseOptions) {
    this.#options = options;
  }

  /** Records that the link is used or was opened, and begins the time again. */
  begin(): void {
    const { clock, afterMs } = this.#options;
    if (afterMs === undefined) return;
    this.#cancel?.();
    this.#cancel = clock.schedule(afterMs, () => this.#onIdle());
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
