import type { WarmUp } from '../health/warm-up.ts';

/** Decides whether a link on which nothing comes in is dead itself; it closes nothing. */
export class LinkSilence {
  readonly #warmUp: WarmUp | undefined;
  #hasHeard = false;
  #isQuiet = false;

  /** @param warmUp of a link that is not dead while the device may have to warm up */
  constructor(warmUp?: WarmUp) {
    this.#warmUp = warmUp;
  }

  /** Whether nothing came in since a request was not answered. */
  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Records that a request goes out. */
  noteRequest(): void {
    this.#hasHeard = false;
  }

  /** Records that any bytes came in; of the unit that is asked, if one is. */
  noteReceived(askedUnitId?: number): void {
    if (askedUnitId !== undefined) this.#warmUp?.noteAnswer(askedUnitId);
    this.#warmUp?.noteReceived();
    this.#hasHeard = true;
    this.#isQuiet = false;
  }

  /**
   * Records that the newest request was not answered.
   *
   * @returns whether the link is dead: a probe brought nothing, nor did the request before it
   */
  noteUnanswered(unitId: number, isProbe: boolean): boolean {
    this.#warmUp?.noteUnanswered(unitId);
    if (this.#hasHeard) return false;
    const isDead = isProbe && this.#isQuiet;
    this.#isQuiet = true;
    return isDead && this.#warmUp?.isUnderWay !== true;
  }
}
