/**
 * Pace of backlog messages: at most a number a second, evenly.
 *
 * Pure: the caller passes the time and waits.
 */
export class MessageRate {
  #intervalMs: number;
  #nextMs = -Infinity;

  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
  }

  /** Changes the rate for the messages that follow. */
  setRate(perSecond: number): void {
    this.#intervalMs = 1000 / perSecond;
  }

  /**
   * Reserves the time of one message.
   *
   * @param nowMs monotonic milliseconds
   * @returns milliseconds to wait before it is sent; 0: now
   */
  reserve(nowMs: number): number {
    const dueMs = Math.max(this.#nextMs, nowMs);
    this.#nextMs = dueMs + this.#intervalMs;
    return dueMs - nowMs;
  }
}
