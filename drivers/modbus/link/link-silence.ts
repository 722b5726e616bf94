import type { WarmUp } from '../health/warm-up.ts';

/** Detects a link that is dead although it is open. Observes only. */
export class LinkSilence {
  readonly #warmUp: WarmUp | undefined;
  #hasHeard = false;
  #isQuiet = false;

  /** @param warmUp prevents that a link counts as dead while the device may be warming up */
  constructor(warmUp?: WarmUp) {
    this.#warmUp = warmUp;
  }

  /** True if nothing was received since a request timed out. */
  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Records that a request is sent. */
  noteRequest(): void {
    this.#hasHeard = false;
  }

  /** Records received bytes and the unit of the outstanding request, if any. */
  noteReceived(askedUnitId?: number): void {
    if (askedUnitId !== undefined) this.#warmUp?.noteAnswer(askedUnitId);
    this.#warmUp?.noteReceived();
    this.#hasHeard = true;
    this.#isQuiet = false;
  }

  /**
   * Records that the newest request timed out.
   *
   * @returns true if the link is dead: neither a probe nor the request before it got any bytes
   */
  noteUnanswered(unitId: number, isProbe: boolean): boolean {
    this.#warmUp?.noteUnanswered(unitId);
    if (this.#hasHeard) return false;
    const isDead = isProbe && this.#isQuiet;
    this.#isQuiet = true;
    return isDead && this.#warmUp?.isUnderWay !== true;
  }
}
