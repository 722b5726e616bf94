import type { Cancel } from '../../base/clock.ts';
import { Unavailable } from '../../base/errors.ts';
import type { RecordingTask, RecordingTaskOptions } from './recording-task.ts';

// What others have read may be as old as this, and never older than the interval.
const MAXIMUM_AGE_MS = 5000;

/**
 * Samples at multiples of an interval of the wall clock. A round that lasts longer than the interval is followed by the next
 * multiple; those between are left out.
 */
export class IntervalTask implements RecordingTask {
  readonly #options: RecordingTaskOptions;
  readonly #intervalMs: number;
  #cancel: Cancel | undefined;
  #isStopped = false;
  /** Clock.monotonicMs() at the end of the last round. */
  #endedAtMs = -Infinity;

  constructor(intervalMs: number, options: RecordingTaskOptions) {
    this.#intervalMs = intervalMs;
    this.#options = options;
  }

  start(): void {
    this.#plan(0);
  }

  follow(): void {
    // The asset is looked up in each round.
  }

  renew(): void {
    // The next round takes every channel.
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** @param leastMs time that must pass first: timers and clocks may be a little early */
  #plan(leastMs: number): void {
    const epochMs = this.#options.clock.epochMs();
    const waitMs = delayToMultiple(epochMs, this.#intervalMs, leastMs);
    this.#cancel = this.#options.clock.schedule(waitMs, () => void this.#takeRound());
  }

  async #takeRound(): Promise<void> {
    try {
      await this.#sample();
    } finally {
      if (!this.#isStopped) this.#plan(this.#intervalMs / 2);
    }
  }

  async #sample(): Promise<void> {
    const { findAsset, channels, take, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const sinceMs = Math.max(this.#endedAtMs, nowMs - Math.min(this.#intervalMs, MAXIMUM_AGE_MS));
    try {
      const records = await findAsset()?.sample(channels, { sinceMs, intervalMs: this.#intervalMs });
      if (records !== undefined && !this.#isStopped) take(records);
    } catch (error) {
      // An overloaded asset is sampled in the next round.
      if (!(error instanceof Unavailable)) throw error;
    } finally {
      this.#endedAtMs = clock.monotonicMs();
    }
  }
}

/**
 * Returns the time to the next multiple of an interval.
 *
 * @param epochMs milliseconds since the epoch
 * @param leastMs the multiple is at least so far away
 */
export function delayToMultiple(epochMs: number, intervalMs: number, leastMs: number): number {
  const soonest = epochMs + leastMs;
  return Math.ceil(soonest / intervalMs) * intervalMs - epochMs;
}
