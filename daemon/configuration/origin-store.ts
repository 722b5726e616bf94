import type { Store } from '../base/store.ts';
import { PENDING } from './provision-origins.ts';
import type { PartName, PartOrigin } from './provision-origins.ts';

/** Creates the table of origins; a step of the migrations of this room. */
export const ORIGIN_TABLE = `
  CREATE TABLE provision_origin (
    part TEXT PRIMARY KEY,
    source TEXT,
    is_named INTEGER NOT NULL,
    content TEXT NOT NULL,
    identity_id TEXT
  ) STRICT;
  CREATE TABLE provision_origin_state (is_recorded INTEGER NOT NULL) STRICT;`;

/** Keeps which parts of the configuration, and which identities, came from which provision file. */
export class OriginStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns whether origins were ever recorded; not so for a state that an earlier release has left. */
  isRecorded(): boolean {
    return this.#store.database.prepare('SELECT 1 FROM provision_origin_state').get() !== undefined;
  }

  /** Returns every origin, in the order of their names. */
  read(): readonly PartOrigin[] {
    const rows = this.#store.database.prepare('SELECT * FROM provision_origin ORDER BY part').all();
    return rows.map((row) => ({
      part: JSON.parse(String(row['part'])) as PartName,
      source: row['source'] === null ? undefined : String(row['source']),
      isNamed: row['is_named'] === 1,
      content: JSON.parse(String(row['content'])) as unknown,
      identityId: row['identity_id'] === null ? undefined : String(row['identity_id']),
    }));
  }

  /** Records identities that are about to be created for a source. */
  announceIdentities(names: readonly string[]): void {
    this.#store.transaction(() => {
      const { database } = this.#store;
      const insert = database.prepare('INSERT OR REPLACE INTO provision_origin VALUES (?, ?, 1, ?, ?)');
      for (const name of names) insert.run(JSON.stringify(['identities', name]), '', '[]', PENDING);
    });
  }

  /** Forgets announced identities that were not created. */
  withdrawIdentities(names: readonly string[]): void {
    this.#store.transaction(() => {
      const remove = this.#store.database.prepare(
        'DELETE FROM provision_origin WHERE part = ? AND identity_id = ?',
      );
      for (const name of names) remove.run(JSON.stringify(['identities', name]), PENDING);
    });
  }

  /** Replaces all origins, within the transaction of the caller. */
  replace(origins: readonly PartOrigin[]): void {
    const { database } = this.#store;
    database.exec(
      'DELETE FROM provision_origin; DELETE FROM provision_origin_state; INSERT INTO provision_origin_state VALUES (1)',
    );
    const insert = database.prepare('INSERT INTO provision_origin VALUES (?, ?, ?, ?, ?)');
    for (const { part, source, isNamed, content, identityId } of origins) {
      insert.run(
        JSON.stringify(part),
        source ?? null,
        isNamed ? 1 : 0,
        JSON.stringify(content),
        identityId ?? null,
      );
    }
  }
}
