/** What is needed of an event loop. */
export interface EventLoop {
  monotonicMs(): number;
  /** Number of events, such as input of a socket, that it has handled. */
  countEvents(): number;
  /** Calls `action` once, at the end of its next iteration. */
  afterNextEvents(action: () => void): void;
}

/** How long no event has come before a turn is spare: what a request causes, such as the response of a device, is part of it. */
const QUIET_MS = 0.3;
/** After this time a turn is given in any case, so that work goes on next to clients that never pause. */
const LONGEST_WAIT_MS = 4;

/**
 * Turns of an event loop for long work that can wait: one at a time, and each when no event has come for a moment. So a request
 * waits for one slice of such work at most, however many works there are and however many events it needs.
 */
export class SpareTurns {
  readonly #loop: EventLoop;
  readonly #waiting: (() => void)[] = [];
  #events = 0;
  #eventAtMs = -Infinity;
  /** Undefined: a turn was just given, and its work has not been seen to end. */
  #waitingSinceMs: number | undefined;
  #isWatching = false;

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** Resolves when it is the turn of the caller; callers have their turns in order. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#isWatching) return;
      this.#isWatching = true;
      this.#events = this.#loop.countEvents();
      this.#waitingSinceMs = this.#loop.monotonicMs();
      this.#loop.afterNextEvents(this.#look);
    });
  }

  readonly #look = (): void => {
    const nowMs = this.#loop.monotonicMs();
    const events = this.#loop.countEvents();
    if (events !== this.#events) this.#eventAtMs = nowMs;
    this.#events = events;
    this.#waitingSinceMs ??= nowMs;
    const isQuiet = nowMs - this.#eventAtMs >= QUIET_MS;
    if (isQuiet || nowMs - this.#waitingSinceMs >= LONGEST_WAIT_MS) {
      this.#waitingSinceMs = undefined;
      this.#waiting.shift()?.();
    }
    this.#isWatching = this.#waiting.length > 0;
    if (this.#isWatching) this.#loop.afterNextEvents(this.#look);
  };
}
