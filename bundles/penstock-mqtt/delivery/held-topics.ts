/** A topic whose messages are not sent, because the broker refused one. */
export interface HeldTopic {
  readonly topic: string;
  /** Cursor before the oldest sample of it that has not arrived. */
  readonly after: number;
  readonly reason: string;
  /** Earliest time of the next try, in monotonic milliseconds. */
  readonly dueMs: number;
}

/** Maximum number of topics that a recorder holds; if more are refused, the recorder waits as a whole. */
const MAXIMUM_TOPICS = 500;

/**
 * Topics of a recorder that the broker refuses, and how far each has come.
 *
 * Only the place in the journal is kept, not the messages: they are read again when the broker accepts the topic.
 */
export class HeldTopics {
  readonly #held = new Map<string, HeldTopic>();
  readonly #waiting = new Set<() => void>();

  get count(): number {
    return this.#held.size;
  }

  /** Cursor up to which no topic holds anything; infinite if none is held. */
  get after(): number {
    return Math.min(Infinity, ...[...this.#held.values()].map(({ after }) => after));
  }

  /** Lists the topics, that with the oldest samples first. */
  list(): readonly HeldTopic[] {
    return [...this.#held.values()].toSorted((one, other) => one.after - other.after);
  }

  find(topic: string): HeldTopic | undefined {
    return this.#held.get(topic);
  }

  /**
   * Holds a topic from a cursor on; of one that is held, the earlier cursor counts.
   *
   * @returns false if too many are held
   */
  hold({ topic, after, reason, dueMs }: HeldTopic): boolean {
    const known = this.#held.get(topic);
    if (known === undefined && this.#held.size >= MAXIMUM_TOPICS) return false;
    this.#held.set(topic, { topic, after: Math.min(after, known?.after ?? after), reason, dueMs });
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
    return true;
  }

  /** Adds a message of a topic that is held, and was not sent for that reason. */
  skip(topic: string, after: number): void {
    const known = this.#held.get(topic);
    if (known !== undefined && after < known.after) this.#held.set(topic, { ...known, after });
  }

  /**
   * Moves the cursor of a topic forward.
   *
   * @param from its cursor before; nothing is changed if it is another one by now
   */
  advance(topic: string, from: number, to: number): void {
    const known = this.#held.get(topic);
    if (known?.after === from) this.#held.set(topic, { ...known, after: to });
  }

  release(topic: string): void {
    this.#held.delete(topic);
  }

  clear(): void {
    this.#held.clear();
  }

  /** Resolves when a topic is held; rejects with the reason of `signal` when it aborts first. */
  whenHeld(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#held.size > 0) {
        resolve();
        return;
      }
      const stop = (): void => {
        this.#waiting.delete(found);
        reject(signal.reason as Error);
      };
      const found = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      this.#waiting.add(found);
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}
