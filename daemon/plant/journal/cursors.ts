import type { Migrations, Store } from '../../base/store/store.ts';

/** The table of the cursors. */
export const cursorMigrations: Migrations = {
  module: 'journal',
  steps: [
    `CREATE TABLE journal_cursor (
       consumer TEXT PRIMARY KEY,
       sequence INTEGER NOT NULL,
       time_ms INTEGER NOT NULL
     ) STRICT`,
  ],
};

/** True if the table exists: a gateway that has never recorded has none. */
export function hasCursors({ database }: Store): boolean {
  const tables = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'journal_cursor'").all();
  return tables.length > 0;
}

/** How far a consumer has come. */
export interface Cursor {
  readonly consumer: string;
  /** Number of the last entry that it has acknowledged; 0: none. */
  readonly sequence: number;
  /** Milliseconds since the epoch at which the gateway took that entry. */
  readonly timeMs: number;
}

/**
 * The cursors of the consumers. `acknowledge` changes memory; `save` writes what changed, and the loss of a place costs its consumer
 * repeated entries, never a missing one. The first place of a consumer survives a loss of power once it is saved: a consumer that is
 * unknown begins with the newest entry.
 */
export class Cursors {
  readonly #store: Store;
  readonly #cursors: Map<string, Cursor>;
  readonly #unsaved = new Set<string>();
  /** Consumers in the table. */
  readonly #stored: Set<string>;

  constructor(store: Store) {
    this.#store = store;
    const rows = store.database.prepare('SELECT consumer, sequence, time_ms FROM journal_cursor').all();
    const cursors = rows.map((row) => ({
      consumer: String(row['consumer']),
      sequence: Number(row['sequence']),
      timeMs: Number(row['time_ms']),
    }));
    this.#cursors = new Map(cursors.map((cursor) => [cursor.consumer, cursor]));
    this.#stored = new Set(this.#cursors.keys());
  }

  /** Lists the cursors by the names of their consumers. */
  list(): readonly Cursor[] {
    return [...this.#cursors.values()].toSorted((one, other) => (one.consumer < other.consumer ? -1 : 1));
  }

  /** Returns the cursor of a consumer; undefined if it is unknown. */
  find(consumer: string): Cursor | undefined {
    return this.#cursors.get(consumer);
  }

  /** Adds a consumer, or moves its cursor; a cursor never goes back. */
  acknowledge(cursor: Cursor): void {
    const { consumer, sequence } = cursor;
    if (sequence <= (this.#cursors.get(consumer)?.sequence ?? -1)) return;
    this.#cursors.set(consumer, cursor);
    this.#unsaved.add(consumer);
  }

  /** Removes a consumer; what only it had not acknowledged may go. */
  remove(consumer: string): void {
    this.#cursors.delete(consumer);
    this.#unsaved.delete(consumer);
    this.#stored.delete(consumer);
    this.#store.quickTransaction(() =>
      this.#store.database.prepare('DELETE FROM journal_cursor WHERE consumer = ?').run(consumer),
    );
  }

  /**
   * Writes the cursors that moved.
   *
   * @throws {StoreFailure} when the disk refuses them; they are written with the next call
   */
  save(): void {
    if (this.#unsaved.size === 0) return;
    const write = (): void => {
      const put = this.#store.database.prepare(
        `INSERT INTO journal_cursor VALUES (?, ?, ?)
           ON CONFLICT (consumer) DO UPDATE SET sequence = excluded.sequence, time_ms = excluded.time_ms`,
      );
      for (const consumer of this.#unsaved) {
        const cursor = this.#cursors.get(consumer);
        if (cursor !== undefined) put.run(consumer, cursor.sequence, Math.round(cursor.timeMs));
      }
    };
    if (this.#unsaved.isSubsetOf(this.#stored)) this.#store.quickTransaction(write);
    else this.#store.transaction(write);
    for (const consumer of this.#unsaved) this.#stored.add(consumer);
    this.#unsaved.clear();
  }
}
