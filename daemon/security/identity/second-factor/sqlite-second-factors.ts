import { check, z } from '../../../base/schema.ts';
import { UnreadableSecret } from '../../../base/key/secret-key.ts';
import type { SecretKey } from '../../../base/key/secret-key.ts';
import { StoreError } from '../../../base/store/store.ts';
import type { Store } from '../../../base/store/store.ts';
import type { SecondFactor } from './second-factor.ts';

/** Table of second factors; an identity without second factor has no row. */
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
  is_sealed: z.number(),
});

/** Reads and writes second factors in the caller's transaction. Secrets are read on demand and never cached in memory. */
export class SqliteSecondFactors {
  readonly #store: Store;
  readonly #key: SecretKey | undefined;

  /** @param key encrypts the secrets; without key they are stored in clear text */
  constructor(store: Store, key: SecretKey | undefined) {
    this.#store = store;
    this.#key = key;
  }

  /** @throws {StoreError} `STORE_DAMAGED` */
  find(identityId: string): SecondFactor | undefined {
    const sql = 'SELECT * FROM second_factor WHERE identity_id = ?';
    const columns = this.#store.database.prepare(sql).get(identityId);
    if (columns === undefined) return undefined;
    const { value: row } = check(rowSchema, columns);
    if (row === undefined) {
      throw new StoreError({ code: 'STORE_DAMAGED', detail: 'cannot read a second factor' });
    }
    return {
      secret: row.is_sealed === 0 ? row.secret : this.#open(identityId, row.secret),
      usedSteps: split(row.used_steps).map(Number),
      recoveryDigests: split(row.recovery_digests),
    };
  }

  /** Adds or replaces the factor of an identity. */
  put(identityId: string, { secret, usedSteps, recoveryDigests }: SecondFactor): void {
    const sql = 'INSERT OR REPLACE INTO second_factor VALUES (?, ?, ?, ?, ?)';
    const [content, isSealed] = this.#seal(identityId, secret);
    const lists = [usedSteps.join(' '), recoveryDigests.join(' ')] as const;
    this.#store.database.prepare(sql).run(identityId, content, ...lists, isSealed);
  }

  /**
   * Encrypts secrets that an earlier release stored in clear text, in the caller's transaction.
   *
   * @returns number of changed rows
   */
  sealSecrets(): number {
    if (this.#key === undefined) return 0;
    const rows = this.#store.database
      .prepare('SELECT identity_id FROM second_factor WHERE is_sealed = 0')
      .all();
    for (const { identity_id: id } of rows) {
      const factor = this.find(String(id));
      if (factor !== undefined) this.put(String(id), factor);
    }
    return rows.length;
  }

  #seal(identityId: string, secret: SecondFactor['secret']): readonly [Uint8Array, 0 | 1] {
    if (secret instanceof UnreadableSecret) return [Buffer.from(secret.record), 1];
    if (this.#key === undefined) return [secret, 0];
    const record = this.#key.seal(Buffer.from(secret).toString('base64url'), purposeOf(identityId));
    return [Buffer.from(record), 1];
  }

  #open(identityId: string, content: Uint8Array): SecondFactor['secret'] {
    const record = Buffer.from(content).toString();
    const secret = this.#key?.open(record, purposeOf(identityId));
    if (secret === undefined) return new UnreadableSecret(record);
    return Uint8Array.from(Buffer.from(secret, 'base64url'));
  }

  /** No effect if the identity has no second factor. */
  remove(identityId: string): void {
    this.#store.database.prepare('DELETE FROM second_factor WHERE identity_id = ?').run(identityId);
  }
}

// Binds a secret to its identity, so that a manipulated store cannot assign it to another one.
function purposeOf(identityId: string): string {
  return `second factor of ${identityId}`;
}

function split(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}
