import { finish } from '../../base/slices.ts';
import type { Slices } from '../../base/slices.ts';
import type { Store } from '../../base/store/store.ts';
import { findPart, PENDING, placePart } from './provision-origins.ts';
import type { OriginName, PartName, PartOrigin } from './provision-origins.ts';
import type { StoredSecrets } from '../store/stored-secrets.ts';

/** Creates the table of origins; a step of the migrations of this module. */
export const ORIGIN_TABLE = `
  CREATE TABLE provision_origin (
    part TEXT PRIMARY KEY,
    source TEXT,
    is_named INTEGER NOT NULL,
    content TEXT NOT NULL,
    identity_id TEXT
  ) STRICT;
  CREATE TABLE provision_origin_state (is_recorded INTEGER NOT NULL) STRICT;`;

/** A large plant has many thousands, with the content of all of its files. */
const ORIGINS_OF_SLICE = 20;

type OriginRow = readonly [
  part: string,
  source: string | null,
  isNamed: number,
  content: string,
  identityId: string | null,
];

/** Rows to store and to delete. */
export interface PreparedOrigins {
  readonly changed: readonly OriginRow[];
  /** Names of parts, as JSON. */
  readonly absent: readonly string[];
}

/** Stores the provision file from which each part of the configuration and each identity came. */
export class OriginStore {
  readonly #store: Store;
  readonly #secrets: StoredSecrets | undefined;

  /** @param secrets what encrypts secrets, which are stored as they are unless given */
  constructor(store: Store, secrets?: StoredSecrets) {
    this.#store = store;
    this.#secrets = secrets;
  }

  /**
   * Encrypts the secrets that an earlier release stored in clear text, within the transaction of the caller.
   *
   * @returns how many rows have changed
   */
  sealSecrets(): number {
    const origins = this.read();
    const update = this.#store.database.prepare('UPDATE provision_origin SET content = ? WHERE part = ?');
    for (const { part, content } of origins) update.run(this.#format(part, content), JSON.stringify(part));
    return origins.length;
  }

  /** True if origins were ever recorded; false for a state of an earlier release. */
  isRecorded(): boolean {
    return this.#store.database.prepare('SELECT 1 FROM provision_origin_state').get() !== undefined;
  }

  /** Returns every origin, in the order of their names. */
  read(): readonly PartOrigin[] {
    return finish(this.load());
  }

  /** Reads the origins as `read` does, in slices. */
  *load(): Slices<readonly PartOrigin[]> {
    const next = this.#store.database.prepare(
      `SELECT * FROM provision_origin WHERE part > ? ORDER BY part LIMIT ${ORIGINS_OF_SLICE}`,
    );
    const origins: PartOrigin[] = [];
    for (let rows = next.all(''); rows.length > 0; rows = next.all(String(rows.at(-1)?.['part']))) {
      for (const row of rows) {
        const content = this.#parse(String(row['content']));
        origins.push({ ...toName(row), isNamed: row['is_named'] === 1, content });
        yield;
      }
    }
    return origins;
  }

  /** Forgets the parts that no source names any more and that are not in force. */
  forgetAbsent(isPresent: (origin: OriginName) => boolean): void {
    const { database } = this.#store;
    const rows = database
      .prepare('SELECT part, source, identity_id FROM provision_origin WHERE is_named = 0')
      .all();
    const absent = rows.filter((row) => !isPresent(toName(row)));
    if (absent.length === 0) return;
    this.#store.transaction(() => {
      const remove = database.prepare('DELETE FROM provision_origin WHERE part = ?');
      for (const { part = null } of absent) remove.run(part);
    });
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

  /**
   * Compares origins with the stored ones, for {@link replace}; stores nothing.
   *
   * @param stored result of {@link load}; an origin that is the same object is unchanged
   */
  *prepare(origins: readonly PartOrigin[], stored: readonly PartOrigin[]): Slices<PreparedOrigins> {
    const unchanged = new Set(stored);
    const absent = new Set<string>();
    for (const { part } of stored) {
      absent.add(JSON.stringify(part));
      yield;
    }
    const changed: OriginRow[] = [];
    for (const origin of origins) {
      yield;
      const { part, source, isNamed, content, identityId } = origin;
      const key = JSON.stringify(part);
      absent.delete(key);
      if (unchanged.has(origin)) continue;
      const text = this.#format(part, content);
      changed.push([key, source ?? null, isNamed ? 1 : 0, text, identityId ?? null]);
    }
    return { changed, absent: [...absent] };
  }

  /** Stores prepared origins in place of all others, within the transaction of the caller. */
  replace({ changed, absent }: PreparedOrigins): void {
    const { database } = this.#store;
    database.exec('DELETE FROM provision_origin_state; INSERT INTO provision_origin_state VALUES (1)');
    const remove = database.prepare('DELETE FROM provision_origin WHERE part = ?');
    for (const part of absent) remove.run(part);
    const insert = database.prepare('INSERT OR REPLACE INTO provision_origin VALUES (?, ?, ?, ?, ?)');
    for (const row of changed) insert.run(...row);
  }

  #format(part: PartName, content: unknown): string {
    const sealed = this.#secrets?.seal(placePart(part, content));
    return JSON.stringify(sealed === undefined ? content : findPart(sealed, part));
  }

  #parse(text: string): unknown {
    return this.#secrets === undefined ? (JSON.parse(text) as unknown) : this.#secrets.parse(text);
  }
}

function toName(row: Record<string, unknown>): OriginName {
  const { part, source, identity_id: identityId } = row;
  return {
    part: JSON.parse(String(part)) as PartName,
    source: typeof source === 'string' ? source : undefined,
    identityId: typeof identityId === 'string' ? identityId : undefined,
  };
}
