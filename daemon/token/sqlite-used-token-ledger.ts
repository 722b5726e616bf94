import type { Clock } from '../base/clock.ts';
import { GatewayError, Unavailable } from '../base/errors.ts';
import type { Migrations, Store } from '../base/store.ts';
import { StoreFailure } from '../base/transaction.ts';
import { estimateBytes, MAXIMUM_LEDGER_BYTES, refuseFull } from './used-token-ledger.ts';
import type { UsedTokenLedger, UsedTokenLedgerOptions } from './used-token-ledger.ts';

/** The table of used refresh tokens; `bytes` is the estimate that bounds it. */
export const tokenMigrations: Migrations = {
  room: 'token',
  steps: [
    `CREATE TABLE used_token (
      iss TEXT NOT NULL,
      jti TEXT NOT NULL,
      expires_at REAL NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (iss, jti)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX used_token_expiry ON used_token (expires_at)`,
  ],
};

export interface SqliteLedgerOptions extends UsedTokenLedgerOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/** Makes a ledger that outlives the process; a mark is on disk when `claim` returns. */
export function createSqliteUsedTokenLedger(options: SqliteLedgerOptions): UsedTokenLedger {
  return new SqliteUsedTokenLedger(options);
}

class SqliteUsedTokenLedger implements UsedTokenLedger {
  readonly #options: SqliteLedgerOptions;
  // Counted at the first claim, kept up to date from then on.
  #bytes: number | undefined;

  constructor(options: SqliteLedgerOptions) {
    this.#options = options;
  }

  claim(iss: string, jti: string, expiresAtSeconds: number): boolean {
    const { store, maximumBytes = MAXIMUM_LEDGER_BYTES } = this.#options;
    const bytes = estimateBytes(iss, jti);
    return this.#guard(() => {
      const { total, isNew } = store.transaction(() => {
        const before = (this.#bytes ?? this.#count()) - this.#forgetOver();
        const added = store.database
          .prepare('INSERT INTO used_token VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
          .run(iss, jti, expiresAtSeconds, bytes).changes;
        const after = added === 0 ? before : before + bytes;
        // Thrown inside the transaction, which undoes the mark.
        if (added !== 0 && after > maximumBytes) throw refuseFull();
        return { total: after, isNew: added !== 0 };
      });
      this.#bytes = total;
      return isNew;
    });
  }

  isClaimed(iss: string, jti: string): boolean {
    return this.#guard(() => {
      const row = this.#options.store.database
        .prepare('SELECT 1 FROM used_token WHERE iss = ? AND jti = ? AND expires_at > ?')
        .get(iss, jti, this.#forgottenBefore());
      return row !== undefined;
    });
  }

  #forgottenBefore(): number {
    return this.#options.clock.epochMs() / 1000 - this.#options.retentionSeconds();
  }

  #forgetOver(): number {
    const removed = this.#options.store.database
      .prepare('DELETE FROM used_token WHERE expires_at <= ? RETURNING bytes')
      .all(this.#forgottenBefore());
    return removed.reduce((sum, row) => sum + Number(row['bytes']), 0);
  }

  #count(): number {
    const row = this.#options.store.database
      .prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM used_token')
      .get();
    return Number(row?.['bytes'] ?? 0);
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof GatewayError && !(cause instanceof StoreFailure)) throw cause;
      // The transaction did not come about: what was counted may be wrong, the mark is not there.
      this.#bytes = undefined;
      throw new Unavailable({
        code: 'TOKEN_LEDGER_UNAVAILABLE',
        detail: 'used refresh tokens cannot be recorded now',
        retryAfterSeconds: 5,
        cause,
      });
    }
  }
}
