import type { WarmUp } from '../health/warm-up.ts';

/** Detects a link that is dead although it is open. Observes only. */
export class DeadLinkDetector {
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
  recordRequest(): void {
    this.#hasHeard = false;
  }

  /** Records received bytes and the unit of the outstanding request, if any. */
  recordReceived(requestedUnitId?: number): void {
    if (requestedUnitId !== undefined) this.#warmUp?.recordResponse(requestedUnitId);
    this.#warmUp?.recordReceived();
    this.#hasHeard = true;
    this.#isQuiet = false;
  }

  /**
   * Records that the newest request timed out.
   *
   * @returns true if the link is dead: neither a probe nor the request before it got any bytes
   */
  recordUnanswered(unitId: number, isProbe: boolean): boolean {
    this.#warmUp?.recordUnanswered(unitId);
    if (this.#hasHeard) return false;
    const isDead = isProbe && this.#isQuiet;
    this.#isQuiet = true;
    return isDead && this.#warmUp?.isInProgress !== true;
  }
}
