import { setImmediate } from 'node:timers/promises';

import type { Clock } from '../../daemon/base/clock.ts';

interface Pending {
  readonly dueMs: number;
  readonly action: () => void;
}

/** A clock that stands still until `advance` is called; pending calls run in the order in which they fall due. */
export class ManualClock implements Clock {
  #nowMs: number;
  #epochShiftMs = 0;
  readonly #pending = new Set<Pending>();

  constructor(startMs = 1_700_000_000_000) {
    this.#nowMs = startMs;
  }

  epochMs(): number {
    return this.#nowMs + this.#epochShiftMs;
  }

  /** Sets the time of day, which the other clock does not notice. */
  setEpoch(epochMs: number): void {
    this.#epochShiftMs = epochMs - this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, action: () => void): () => void {
    const pending = { dueMs: this.#nowMs + delayMs, action };
    this.#pending.add(pending);
    return () => this.#pending.delete(pending);
  }

  nextTurn(): Promise<void> {
    return setImmediate();
  }

  spareTurn(): Promise<void> {
    return setImmediate();
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#pending]
        .filter(({ dueMs }) => dueMs <= endMs)
        .sort((a, b) => a.dueMs - b.dueMs)[0];
      if (due === undefined) break;
      this.#pending.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.dueMs);
      due.action();
    }
    this.#nowMs = endMs;
  }
}

/**
 * Creates a clock on which every slice of work is over at once.
 *
 * @param onTurn called between two slices, which waits for it
 */
export function createSlicingClock(onTurn: () => unknown): ManualClock {
  let nowMs = 0;
  return Object.assign(new ManualClock(), {
    monotonicMs: () => (nowMs += 1000),
    spareTurn: async () => {
      await onTurn();
    },
  });
}
