/** One wait for a frame in which not a single byte came. */
export interface SilentWait {
  readonly startMs: number;
  readonly endMs: number;
  /** Something was asked for; else the wait was for a frame that comes unasked. */
  readonly isAnswer: boolean;
}

// One answer gets lost on any line; an instrument that begins again when its line is opened needs time for that.
const WAITS_UNTIL_SUSPECT = 2;

/**
 * Decides whether a line has gone dead: open, and yet nothing comes through it any more, as when its adapter was exchanged
 * or the far end of a virtual line began again.
 */
export class LineSilence {
  #silentWaits = 0;
  #lastEndMs = Number.NEGATIVE_INFINITY;
  #hasHeard = false;

  /** Whether the line is to be opened again before it is used. */
  get isSuspect(): boolean {
    return this.#silentWaits >= WAITS_UNTIL_SUSPECT;
  }

  /** Records that bytes came in. */
  noteBytes(): void {
    this.#silentWaits = 0;
    this.#hasHeard = true;
  }

  /** Records a wait in which nothing came; waits that overlap count once. */
  noteSilentWait({ startMs, endMs, isAnswer }: SilentWait): void {
    // A device that sends unasked, like a barcode reader, may have nothing to send; silence after it has sent
    // something is another matter.
    if (!isAnswer && !this.#hasHeard) return;
    if (startMs < this.#lastEndMs) return;
    this.#lastEndMs = endMs;
    this.#silentWaits += 1;
  }

  /** Records that the line was opened. */
  noteOpened(): void {
    this.#silentWaits = 0;
    this.#hasHeard = false;
  }
}
