import { setTimeout as wait } from 'node:timers/promises';

import { Busy } from './expect.ts';

/** One that uses the gateway in its own way, again and again. */
export interface Actor {
  readonly name: string;
  /** Milliseconds between the end of one step and the start of the next. */
  readonly pauseMs: number;
  /**
   * Does one thing, and leaves nothing open behind it but a kept connection.
   *
   * @throws {Error} for anything unexpected
   */
  step(): Promise<void>;
}

/** What an actor has done. */
export interface ActorCount {
  readonly name: string;
  readonly done: number;
  /** Steps that ended because the gateway was busy. */
  readonly busy: number;
  readonly failed: number;
}

/** A step that failed. */
export interface StepFailure {
  readonly actor: string;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly message: string;
}

interface Tally {
  done: number;
  busy: number;
  failed: number;
}

// An actor does not wait longer than this to see that the others are at rest.
const LOOK_MS = 50;

/** All actors of a soak; they rest together, so that memory is compared between equal moments. */
export class Crew {
  readonly failures: StepFailure[] = [];
  readonly #counts = new Map<string, Tally>();
  readonly #loops: Promise<void>[] = [];
  #active = 0;
  #isResting = false;
  #hasEnded = false;

  start(actor: Actor): void {
    const count = { done: 0, busy: 0, failed: 0 };
    this.#counts.set(actor.name, count);
    this.#loops.push(this.#repeat(actor, count));
  }

  /** Resolves when every actor has ended its step; none begins another one. */
  async rest(): Promise<void> {
    this.#isResting = true;
    while (this.#active > 0) await wait(LOOK_MS);
  }

  resume(): void {
    this.#isResting = false;
  }

  /** Ends all actors, after their steps. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.#loops);
  }

  counts(): readonly ActorCount[] {
    return [...this.#counts].map(([name, { done, busy, failed }]) => ({
      name,
      done,
      busy,
      failed,
    }));
  }

  async #repeat(actor: Actor, count: Tally): Promise<void> {
    while (!this.#hasEnded) {
      if (this.#isResting) {
        await wait(LOOK_MS);
        continue;
      }
      this.#active += 1;
      try {
        await actor.step();
        count.done += 1;
      } catch (error) {
        if (error instanceof Busy) count.busy += 1;
        else this.#noteFailure(actor, count, error);
      } finally {
        this.#active -= 1;
      }
      await this.#pause(actor.pauseMs);
    }
  }

  #noteFailure({ name }: Actor, count: Tally, error: unknown): void {
    count.failed += 1;
    const message = error instanceof Error ? error.message : String(error);
    this.failures.push({ actor: name, timeMs: Date.now(), message });
  }

  async #pause(pauseMs: number): Promise<void> {
    const untilMs = performance.now() + pauseMs;
    while (!this.#hasEnded && performance.now() < untilMs) {
      await wait(Math.max(0, Math.min(1000, untilMs - performance.now())));
    }
  }
}
