import { Unavailable } from '../../daemon/base/errors.ts';

interface Waiter {
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

// The gateway shares reads between those who ask for the same, so a line this long means more work than it can carry.
const MAXIMUM_WAITING = 256;
const RETRY_AFTER_SECONDS = 1;

/** Lets so many transactions at a time onto a line, the units in turn, each unit's own in their order. */
export class TransactionQueue {
  readonly #depth: number;
  // The unit whose turn is next comes first.
  readonly #waiting = new Map<number, Set<Waiter>>();
  #waitingCount = 0;
  #running = 0;

  /** @param depth most transactions that are under way at once */
  constructor(depth = 1) {
    this.#depth = depth;
  }

  /** Whether nothing is under way and nobody waits. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /**
   * Does one piece of work when its turn comes.
   *
   * @param signal ends the wait; work that has begun has to watch the signal itself
   * @returns what the work returns
   * @throws the reason of `signal` while waiting, the error of `clear`, or {Unavailable} when too many wait
   */
  async run<T>(unitId: number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    // Whoever waited has the place of the one who left.
    if (this.#running >= this.#depth) await this.#takeTurn(unitId, signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#startNext();
    }
  }

  /** Refuses all who wait; work that has begun goes on. */
  clear(reason: unknown): void {
    const waiters = [...this.#waiting.values()].flatMap((ofUnit) => Array.from(ofUnit));
    this.#waiting.clear();
    this.#waitingCount = 0;
    for (const waiter of waiters) waiter.refuse(reason);
  }

  #takeTurn(unitId: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waitingCount >= MAXIMUM_WAITING) {
      throw new Unavailable({
        code: 'MODBUS_QUEUE_FULL',
        detail: `${MAXIMUM_WAITING} requests wait for the connection already`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#remove(unitId, waiter);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        refuse: (reason) => {
          signal?.removeEventListener('abort', onAbort);
          reject(reason);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const ofUnit = this.#waiting.get(unitId);
      if (ofUnit === undefined) this.#waiting.set(unitId, new Set([waiter]));
      else ofUnit.add(waiter);
      this.#waitingCount += 1;
    });
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    const [unitId, ofUnit] = next;
    const [waiter] = ofUnit;
    this.#waiting.delete(unitId);
    if (waiter === undefined) return this.#startNext();
    ofUnit.delete(waiter);
    this.#waitingCount -= 1;
    if (ofUnit.size > 0) this.#waiting.set(unitId, ofUnit);
    waiter.start();
  }

  #remove(unitId: number, waiter: Waiter): void {
    const ofUnit = this.#waiting.get(unitId);
    if (ofUnit?.delete(waiter) !== true) return;
    this.#waitingCount -= 1;
    if (ofUnit.size === 0) this.#waiting.delete(unitId);
  }
}
