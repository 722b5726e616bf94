import { setTimeout as delay } from 'node:timers/promises';

/** Time and randomness of the bundle, so that tests can inject their own. */
export interface Time {
  /** Milliseconds since some fixed moment; never goes back. */
  nowMs(): number;
  /**
   * Waits.
   *
   * @throws the reason of `signal` when it aborts first
   */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns a number from 0 to below 1. */
  random(): number;
}

/** Time of the machine. */
export const machineTime: Time = {
  nowMs: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal });
    } catch (error) {
      // The error of the timer hides the reason.
      signal.throwIfAborted();
      throw error;
    }
  },
  random: () => Math.random(),
};
