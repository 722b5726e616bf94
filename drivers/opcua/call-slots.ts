interface Waiting {
  readonly take: () => void;
}

/** Lets a limited number of calls be under way at once; the others wait in their order. */
export class CallSlots {
  #free: number;
  readonly #waiting = new Set<Waiting>();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Runs work as soon as there is a slot.
   *
   * @throws the reason of the signal, when it aborts before the work began, and whatever the work throws
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#free === 0) await this.#wait(signal);
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiting);
        reject(signal.reason as Error);
      };
      const waiting: Waiting = {
        take: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  // A slot goes straight to whoever waits longest.
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next.take();
  }
}
