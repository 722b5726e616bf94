import type { Cancel, Clock } from '../../../daemon/base/clock.ts';

/** The clock of one simulated process: with its end all calls end that are pending. */
export class ProcessClock implements Clock {
  readonly #time: Clock;
  readonly #pending = new Set<Cancel>();
  #isOver = false;

  constructor(time: Clock) {
    this.#time = time;
  }

  epochMs(): number {
    return this.#time.epochMs();
  }

  monotonicMs(): number {
    return this.#time.monotonicMs();
  }

  schedule(delayMs: number, action: () => void): Cancel {
    if (this.#isOver) return () => undefined;
    const cancelEvent = this.#time.schedule(delayMs, () => {
      this.#pending.delete(cancel);
      action();
    });
    const cancel = (): void => {
      this.#pending.delete(cancel);
      cancelEvent();
    };
    this.#pending.add(cancel);
    return cancel;
  }

  nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(0, resolve);
    });
  }

  spareTurn(): Promise<void> {
    return this.nextTurn();
  }

  /** Ends it: nothing is called any more. */
  end(): void {
    this.#isOver = true;
    for (const cancel of this.#pending) cancel();
  }
}
