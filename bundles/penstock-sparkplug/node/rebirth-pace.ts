/** Shortest time between two rebirths. */
const REBIRTH_INTERVAL_MS = 5000;

/**
 * Pace of rebirths: one that is requested is sent at once, then at most one every five seconds, and the last request always gets one.
 * Other births do not delay the first request.
 *
 * Pure: the caller passes monotonic milliseconds, and waits.
 */
export class RebirthPace {
  #lastMs = -Infinity;
  #dueMs: number | undefined;

  /** Time of the rebirth that waits; undefined: none. */
  get dueMs(): number | undefined {
    return this.#dueMs;
  }

  /**
   * Takes a request.
   *
   * @returns milliseconds until the rebirth, 0: now; undefined: one that waits will be the response
   */
  request(nowMs: number): number | undefined {
    if (this.#dueMs !== undefined) return undefined;
    this.#dueMs = Math.max(nowMs, this.#lastMs + REBIRTH_INTERVAL_MS);
    return this.#dueMs - nowMs;
  }

  /** Records that a birth was sent, whatever its reason. */
  onBirth(nowMs: number): void {
    if (this.#dueMs !== undefined) this.#lastMs = nowMs;
    this.#dueMs = undefined;
  }
}
