import type { BundleJournal } from '../../../daemon/software/bundle/runner/context.ts';

/**
 * Acknowledges cursors to a journal, one at a time and the newest only.
 *
 * An error loses nothing: the next cursor includes the one that was not stored.
 */
export class CursorStore {
  readonly #journal: Pick<BundleJournal, 'acknowledge'>;
  #wanted = 0;
  #stored = 0;
  #storing: Promise<void> | undefined;

  constructor(journal: Pick<BundleJournal, 'acknowledge'>) {
    this.#journal = journal;
  }

  /** Stores a cursor soon; cursors only grow. */
  put(cursor: number): void {
    this.#wanted = cursor;
    this.#storing ??= this.#storeAll().finally(() => (this.#storing = undefined));
  }

  /** Resolves when the newest cursor is stored or could not be. */
  async flush(): Promise<void> {
    await this.#storing;
  }

  async #storeAll(): Promise<void> {
    while (this.#stored < this.#wanted) {
      const cursor = this.#wanted;
      try {
        await this.#journal.acknowledge(cursor);
      } catch {
        // Read errors of the journal are reported; a cursor that is not stored costs repeats.
        return;
      }
      this.#stored = cursor;
    }
  }
}
