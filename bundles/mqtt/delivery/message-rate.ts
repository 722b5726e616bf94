// A timer is late by a millisecond, and on a busy machine a process at the lowest priority by much more.
const LATE_MS = 100;

/**
 * Pace of backlog messages: at most a number a second on average, evenly. A delay of up to 100 ms is made up for.
 *
 * Pure: the caller passes the time and waits.
 */
export class MessageRate {
  #intervalMs: number;
  #nextMs: number | undefined;

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
    const dueMs = Math.max(this.#nextMs ?? nowMs, nowMs - LATE_MS);
    this.#nextMs = dueMs + this.#intervalMs;
    return Math.max(0, dueMs - nowMs);
  }
}
