import { Unavailable } from '../../daemon/base/errors.ts';

interface Waiter {
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

// The gateway shares reads between those who ask for the same, so a line this long means more work than it can carry.
const MAXIMUM_WAITING = 256;

/** Lets one piece of work at a time onto a line, in the order in which they came. */
export class Turns {
  readonly #waiting = new Set<Waiter>();
  #isBusy = false;

  /** Whether nothing is under way and nobody waits. */
  get isIdle(): boolean {
    return !this.#isBusy;
  }

  /**
   * Does one piece of work when its turn comes.
   *
   * @param signal ends the wait; work that has begun has to watch the signal itself
   * @returns what the work returns
   * @throws the reason of `signal` while waiting, the error of `clear`, or {Unavailable} when too many wait
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#isBusy) await this.#takeTurn(signal);
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#startNext();
    }
  }

  /** Refuses all who wait; work that has begun goes on. */
  clear(reason: unknown): void {
    for (const waiter of Array.from(this.#waiting)) waiter.refuse(reason);
  }

  #takeTurn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= MAXIMUM_WAITING) {
      throw new Unavailable({
        code: 'SERIAL_QUEUE_FULL',
        detail: `${MAXIMUM_WAITING} requests wait for the line already`,
        retryAfterSeconds: 1,
      });
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        start() {
          leave();
          resolve();
        },
        refuse(reason) {
          leave();
          reject(reason);
        },
      };
      const onAbort = (): void => waiter.refuse(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#isBusy = false;
    else next.start();
  }
}
