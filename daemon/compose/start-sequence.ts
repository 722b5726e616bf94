import type { Startable } from '../base/lifecycle.ts';

/** Starts components in order and stops them in reverse; after a failed start, those already started are stopped. */
export class StartSequence implements Startable {
  readonly #parts: readonly Startable[];
  #started: Startable[] = [];
  #stopping: Promise<void> | undefined;

  constructor(parts: readonly Startable[]) {
    this.#parts = parts;
  }

  async start(signal: AbortSignal): Promise<void> {
    try {
      for (const part of this.#parts) {
        signal.throwIfAborted();
        this.#started.push(part);
        await part.start(signal);
      }
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    for (const part of this.#started.toReversed()) await part.stop();
    this.#started = [];
  }
}

/** Creates a component that acts on start only. */
export function onStart(start: () => Promise<void>): Startable {
  return { start, stop: () => Promise.resolve() };
}

/** Creates a component that acts on stop only. */
export function onStop(stop: () => void | Promise<void>): Startable {
  return { start: () => Promise.resolve(), stop: async () => stop() };
}
