import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import { EventQueue } from './event-queue.ts';
import type { ScheduledEvent } from './event-queue.ts';
import { becomeQuiet } from './quiet.ts';
import { STEADY_TEMPO } from './tempo.ts';
import type { Tempo } from './tempo.ts';

/** 2026-01-01T00:00:00Z. */
const FIRST_EPOCH_MS = 1_767_225_600_000;

// More at one moment than any storm has: something asks for the next turn for ever.
const MOST_AT_ONCE = 100_000;

/**
 * The time of a world: it stands still while anything happens, and then jumps to the next event.
 *
 * It is the clock of devices and people, which is never wrong; gateways have their own, see `createGatewayClock`.
 */
export class SimulatedTime implements Clock {
  /** How often things happen in the world. */
  readonly tempo: Tempo;
  readonly #queue = new EventQueue();
  readonly #startEpochMs: number;
  #nowMs = 0;
  #eventsNow = 0;

  /** @param startEpochMs milliseconds since the epoch when the world begins */
  constructor(startEpochMs = FIRST_EPOCH_MS, tempo = STEADY_TEMPO) {
    this.tempo = tempo;
    this.#startEpochMs = startEpochMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  epochMs(): number {
    return this.#startEpochMs + Math.floor(this.#nowMs);
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

  spareTurn(): Promise<void> {
    return this.nextTurn();
  }

  /**
   * Lets everything happen until then.
   *
   * @throws when something happens at one moment for ever
   * @param isOver asked after each event, when all that follows from it has happened; true ends the run at that moment
   */
  async runUntil(endMs: number, isOver?: () => boolean): Promise<void> {
    await becomeQuiet();
    for (;;) {
      const event = this.#queue.take(endMs);
      if (event === undefined) break;
      this.#advance(event.dueMs);
      run(event);
      await becomeQuiet();
      if (isOver?.() === true) return;
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  #advance(dueMs: number): void {
    this.#eventsNow = dueMs > this.#nowMs ? 0 : this.#eventsNow + 1;
    if (this.#eventsNow > MOST_AT_ONCE) throw new Error(`time stands still at ${this.#nowMs} ms`);
    this.#nowMs = Math.max(this.#nowMs, dueMs);
  }
}

function run(event: ScheduledEvent): void {
  const { action } = event;
  // Cancelling it from now on does nothing.
  event.action = undefined;
  action?.();
}
