import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** The clock of a gateway for one of its lives: it can be set, and with the life end all calls that were pending. */
export class LifeClock implements Clock {
  readonly #time: SimulatedTime;
  readonly #startMs: number;
  readonly #epochOffsetMs: () => number;
  readonly #pending = new Set<Cancel>();
  #isOver = false;

  constructor(time: SimulatedTime, epochOffsetMs: () => number) {
    this.#time = time;
    this.#startMs = time.monotonicMs();
    this.#epochOffsetMs = epochOffsetMs;
  }

  /** Calls that are still to come. */
  get pendingCalls(): number {
    return this.#pending.size;
  }

  epochMs(): number {
    return this.#time.epochMs() + this.#epochOffsetMs();
  }

  monotonicMs(): number {
    // Each life begins at another moment of the machine, as after a restart of the machine.
    return this.#time.monotonicMs() - this.#startMs;
  }

  // As timers of the runtime are: whole milliseconds, and one at least.
  schedule(delayMs: number, action: () => void): Cancel {
    return this.#add(Math.max(1, Math.trunc(delayMs)), action);
  }

  #add(delayMs: number, action: () => void): Cancel {
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
      this.#add(0, resolve);
    });
  }

  spareTurn(): Promise<void> {
    return this.nextTurn();
  }

  /** Ends the life: nothing that is pending is called any more. */
  end(): void {
    this.#isOver = true;
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }
}
