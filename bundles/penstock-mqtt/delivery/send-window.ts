/** Kind of a message: backlog uses at most half of the window, and waits for the others. */
export type Urgency = 'LIVE' | 'BACKLOG';

/** Returns the place of a message to the window; further calls do nothing. */
export type Release = () => void;

interface Waiting {
  readonly urgency: Urgency;
  readonly grant: () => void;
}

/** A waiting backlog message gets one place of so many, however many live messages wait. */
const BACKLOG_TURN = 4;

/**
 * Places for messages that the broker has not acknowledged.
 *
 * Live messages come first, but not always: of a window that they fill, every fourth place goes to the backlog.
 */
export class SendWindow {
  #limit: number;
  #live = 0;
  #backlog = 0;
  #grantedLive = 0;
  readonly #waiting: Waiting[] = [];
  readonly #idle: (() => void)[] = [];

  /** @param limit number of places, at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of messages that are not acknowledged. */
  get used(): number {
    return this.#live + this.#backlog;
  }

  /** Changes the number of places; those above it stay until they are returned. */
  resize(limit: number): void {
    this.#limit = limit;
    this.#grantWaiting();
  }

  /**
   * Waits for a place.
   *
   * @throws the reason of `signal` when it aborts first
   */
  acquire(urgency: Urgency, signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason as Error);
      };
      const waiting: Waiting = {
        urgency,
        grant: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.#take(urgency));
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
      this.#grantWaiting();
    });
  }

  /** Resolves when no message waits for its acknowledgement. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.used === 0) resolve();
      else this.#idle.push(resolve);
    });
  }

  #take(urgency: Urgency): Release {
    let isReturned = false;
    if (urgency === 'LIVE') {
      this.#live += 1;
      this.#grantedLive += 1;
    } else {
      this.#backlog += 1;
      this.#grantedLive = 0;
    }
    return () => {
      if (isReturned) return;
      isReturned = true;
      if (urgency === 'LIVE') this.#live -= 1;
      else this.#backlog -= 1;
      if (this.used === 0) for (const resolve of this.#idle.splice(0)) resolve();
      this.#grantWaiting();
    };
  }

  #grantWaiting(): void {
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      next.grant();
    }
  }

  #findNext(): Waiting | undefined {
    if (this.used >= this.#limit) return undefined;
    const mayBacklog = this.#backlog < Math.max(1, Math.floor(this.#limit / 2));
    const backlog = mayBacklog ? this.#waiting.find(({ urgency }) => urgency === 'BACKLOG') : undefined;
    if (backlog !== undefined && this.#grantedLive >= BACKLOG_TURN - 1) return backlog;
    return this.#waiting.find(({ urgency }) => urgency === 'LIVE') ?? backlog;
  }
}
