/** A wait for a frame in which no byte arrived. */
export interface TimedOutWait {
  readonly startMs: number;
  readonly endMs: number;
  /** True if a request was sent; false for a wait for an unrequested frame. */
  readonly isResponse: boolean;
}

// A single response may be lost on any line; an instrument that restarts when its line is opened needs time.
const WAITS_UNTIL_SUSPECT = 2;

/**
 * Detects a dead line: open, but without any received bytes, for example after its adapter or the far end of a virtual
 * line was replaced.
 */
export class DeadLineDetector {
  #silentWaits = 0;
  #lastEndMs = Number.NEGATIVE_INFINITY;
  #hasHeard = false;

  /** True if the line must be reopened before it is used. */
  get isSuspect(): boolean {
    return this.#silentWaits >= WAITS_UNTIL_SUSPECT;
  }

  /** Records received bytes. */
  recordBytes(): void {
    this.#silentWaits = 0;
    this.#hasHeard = true;
  }

  /** Records a wait without any byte; overlapping waits count once. */
  recordTimeout({ startMs, endMs, isResponse }: TimedOutWait): void {
    // A device that sends unrequested frames, such as a barcode reader, may have nothing to send; only silence after an
    // earlier frame counts.
    if (!isResponse && !this.#hasHeard) return;
    if (startMs < this.#lastEndMs) return;
    this.#lastEndMs = endMs;
    this.#silentWaits += 1;
  }

  /** Records that the line was opened. */
  recordOpened(): void {
    this.#silentWaits = 0;
    this.#hasHeard = false;
  }
}
