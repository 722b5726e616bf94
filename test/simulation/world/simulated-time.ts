import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import { EventQueue } from './event-queue.ts';
import type { ScheduledEvent } from './event-queue.ts';
import { becomeQuiet } from './quiet.ts';

/** 2026-01-01T00:00:00Z. */
const START_EPOCH_MS = 1_767_225_600_000;

/**
 * The time of a world: it stands still while anything happens, and then jumps to the next event.
 *
 * It is the clock of devices and people, which is never wrong; gateways have their own, see `createGatewayClock`.
 */
export class SimulatedTime implements Clock {
  readonly #queue = new EventQueue();
  #nowMs = 0;

  monotonicMs(): number {
    return this.#nowMs;
  }

  epochMs(): number {
    return START_EPOCH_MS + Math.floor(this.#nowMs);
  }

  /** Events that are still to come. */
  get pendingEvents(): number {
    return this.#queue.size;
  }

  schedule(delayMs: number, action: () => void): Cancel {
    const event = this.#queue.add(this.#nowMs + Math.max(0, delayMs), action);
    return () => this.#queue.cancel(event);
  }

  /** Resolves as the next event of the present moment: all that is due now and was scheduled before has happened. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(0, resolve);
    });
  }

  /**
   * Lets everything happen until then.
   *
   * @param onStep called after each event, when all that follows from it has happened
   */
  async runUntil(endMs: number, onStep?: () => void): Promise<void> {
    await becomeQuiet();
    for (;;) {
      const event = this.#queue.take(endMs);
      if (event === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, event.dueMs);
      run(event);
      await becomeQuiet();
      onStep?.();
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }
}

function run(event: ScheduledEvent): void {
  const { action } = event;
  // Cancelling it from now on does nothing.
  event.action = undefined;
  action?.();
}
