export interface SemaphoreOptions {
  /** Maximum concurrent tasks; default: 1. */
  readonly permits?: number;
  /** Bounds the number of queued tasks; absent: unbounded. */
  readonly waiting?: {
    readonly maximum: number;
    /** Creates the error for a full queue. */
    readonly createError: (maximum: number) => Error;
  };
}

interface Waiter {
  readonly key: unknown;
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** Limits concurrent tasks; the others are queued, and keys are served in turn, each with its own tasks in order. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  // The next key comes first; no set is empty.
  readonly #waiting = new Map<unknown, Set<Waiter>>();
  #waitingCount = 0;
  #freePermits: number;

  constructor(options: SemaphoreOptions = {}) {
    this.#options = options;
    this.#freePermits = this.#permits;
  }

  /** True if no task runs or is queued. */
  get isIdle(): boolean {
    return this.#freePermits === this.#permits;
  }

  /**
   * Runs a task when a permit is free.
   *
   * @param signal ends the wait; a running task must observe the signal itself
   * @param key tasks with the same key run in order of arrival; without keys, all do
   * @returns what the task returns
   * @throws the reason of `signal` while queued, the reason of `clear`, or the error of `waiting` for a full queue
   */
  async run<T>(signal: AbortSignal | undefined, task: () => Promise<T>, key?: unknown): Promise<T> {
    signal?.throwIfAborted();
    // A queued task takes the permit of the finished one.
    if (this.#freePermits === 0) await this.#wait(signal, key);
    else this.#freePermits -= 1;
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  /** Rejects all queued tasks; running tasks continue. */
  clear(reason: unknown): void {
    const waiters = [...this.#waiting.values()].flatMap((ofKey) => Array.from(ofKey));
    for (const waiter of waiters) waiter.refuse(reason);
  }

  get #permits(): number {
    return this.#options.permits ?? 1;
  }

  #wait(signal: AbortSignal | undefined, key: unknown): Promise<void> {
    const { waiting } = this.#options;
    if (waiting !== undefined && this.#waitingCount >= waiting.maximum) {
      throw waiting.createError(waiting.maximum);
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', onAbort);
        this.#remove(waiter);
      };
      const waiter: Waiter = {
        key,
        start() {
          leave();
          resolve();
        },
        refuse(reason) {
          leave();
          reject(reason);
        },
      };
      const onAbort = (): void => waiter.refuse(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#add(waiter);
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#freePermits += 1;
      return;
    }
    const [key, ofKey] = next;
    const [waiter] = ofKey;
    // The key moves behind the others.
    this.#waiting.delete(key);
    this.#waiting.set(key, ofKey);
    waiter?.start();
  }

  #add(waiter: Waiter): void {
    const ofKey = this.#waiting.get(waiter.key) ?? new Set();
    this.#waiting.set(waiter.key, ofKey.add(waiter));
    this.#waitingCount += 1;
  }

  #remove(waiter: Waiter): void {
    const ofKey = this.#waiting.get(waiter.key);
    if (ofKey?.delete(waiter) !== true) return;
    this.#waitingCount -= 1;
    if (ofKey.size === 0) this.#waiting.delete(waiter.key);
  }
}
