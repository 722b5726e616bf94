import { check, z } from '../../base/schema.ts';
import { StoreError } from '../../base/store.ts';
import type { Store } from '../../base/store.ts';
import type { SecondFactor } from './second-factor.ts';

/** Creates the table of second factors; an identity without one has no row. */
export const SECOND_FACTOR_TABLE = `CREATE TABLE second_factor (
  identity_id TEXT PRIMARY KEY REFERENCES identity (id) ON DELETE CASCADE,
  secret BLOB NOT NULL,
  used_steps TEXT NOT NULL,
  recovery_digests TEXT NOT NULL
) STRICT, WITHOUT ROWID`;

const rowSchema = z.object({
  secret: z.instanceof(Uint8Array),
  used_steps: z.string(),
  recovery_digests: z.string(),
});

/** Reads and writes second factors; callers bring the transaction. Secrets are read when they are needed, and never kept in memory. */
export class SqliteSecondFactors {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @throws {StoreError} `STORE_DAMAGED` */
  find(identityId: string): SecondFactor | undefined {
    const sql = 'SELECT secret, used_steps, recovery_digests FROM second_factor WHERE identity_id = ?';
    const columns = this.#store.database.prepare(sql).get(identityId);
    if (columns === undefined) return undefined;
    const { value: row } = check(rowSchema, columns);
    if (row === undefined) {
      throw new StoreError({ code: 'STORE_DAMAGED', detail: 'a second factor cannot be read' });
    }
    return {
      secret: row.secret,
      usedSteps: split(row.used_steps).map(Number),
      recoveryDigests: split(row.recovery_digests),
    };
  }

  /** Adds or replaces the factor of an identity. */
  put(identityId: string, { secret, usedSteps, recoveryDigests }: SecondFactor): void {
    const sql = 'INSERT OR REPLACE INTO second_factor VALUES (?, ?, ?, ?)';
    this.#store.database.prepare(sql).run(identityId, secret, usedSteps.join(' '), recoveryDigests.join(' '));
  }

  /** Does nothing when the identity has none. */
  remove(identityId: string): void {
    this.#store.database.prepare('DELETE FROM second_factor WHERE identity_id = ?').run(identityId);
  }
}

function split(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}
