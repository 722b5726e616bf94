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
/** A package may wait five minutes for its bundle, twice. */
const STEP_LIMIT_MS = 15 * 60_000;

/** All actors of a soak; they rest together, so that memory is compared between equal moments. */
export class Crew {
  readonly failures: StepFailure[] = [];
  readonly #counts = new Map<string, Tally>();
  /** Names of the actors in a step. */
  readonly #active = new Set<string>();
  readonly #stepLimitMs: number;
  #isResting = false;
  #hasEnded = false;

  /** @param stepLimitMs a step that takes longer than that after a rest has begun, or the end, hangs */
  constructor(stepLimitMs = STEP_LIMIT_MS) {
    this.#stepLimitMs = stepLimitMs;
  }

  start(actor: Actor): void {
    const count = { done: 0, busy: 0, failed: 0 };
    this.#counts.set(actor.name, count);
    void this.#repeat(actor, count);
  }

  /**
   * Resolves when every actor has ended its step; none begins another one.
   *
   * @throws {Error} if a step hangs, naming its actor
   */
  rest(): Promise<void> {
    this.#isResting = true;
    return this.#untilIdle();
  }

  resume(): void {
    this.#isResting = false;
  }

  /** Lets no actor begin another step, now or later. */
  stop(): void {
    this.#hasEnded = true;
  }

  /**
   * Ends all actors, after their steps.
   *
   * @throws {Error} if a step hangs, naming its actor
   */
  end(): Promise<void> {
    this.stop();
    return this.#untilIdle();
  }

  counts(): readonly ActorCount[] {
    return [...this.#counts].map(([name, { done, busy, failed }]) => ({
      name,
      done,
      busy,
      failed,
    }));
  }

  async #untilIdle(): Promise<void> {
    const limitMs = performance.now() + this.#stepLimitMs;
    while (this.#active.size > 0) {
      if (performance.now() > limitMs) throw new Error(`a step hangs: ${[...this.#active].join(', ')}`);
      await wait(LOOK_MS);
    }
  }

  async #repeat(actor: Actor, count: Tally): Promise<void> {
    while (!this.#hasEnded) {
      if (this.#isResting) {
        await wait(LOOK_MS);
        continue;
      }
      this.#active.add(actor.name);
      try {
        await actor.step();
        count.done += 1;
      } catch (error) {
        if (error instanceof Busy) count.busy += 1;
        else this.#noteFailure(actor, count, error);
      } finally {
        this.#active.delete(actor.name);
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
