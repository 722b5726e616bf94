import type { Clock } from '../../base/clock.ts';
import { GatewayError, Unavailable } from '../../base/errors.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import { StoreFailure } from '../../base/store/transaction.ts';
import { UsedTokenQuota } from './used-token-quota.ts';
import { estimateBytes, RETAINED_EXPIRED, MAXIMUM_USED_TOKEN_BYTES, refuseFull } from './used-token-store.ts';
import type { UsedToken, UsedTokenStore, UsedTokenStoreOptions } from './used-token-store.ts';

/** Table of used refresh tokens; `bytes` is the estimated size for the quota. */
export const tokenMigrations: Migrations = {
  module: 'token',
  steps: [
    `CREATE TABLE used_token (
      iss TEXT NOT NULL,
      jti TEXT NOT NULL,
      expires_at REAL NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (iss, jti)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX used_token_expiry ON used_token (expires_at)`,
    // Earlier marks count toward the quota of their issuer, but of no identity.
    `ALTER TABLE used_token ADD COLUMN sub TEXT NOT NULL DEFAULT ''`,
  ],
};

interface SqliteUsedTokenStoreOptions extends UsedTokenStoreOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/** Persistent store of marks; a mark is on disk when `claim` returns. */
export class SqliteUsedTokenStore implements UsedTokenStore {
  readonly #options: SqliteUsedTokenStoreOptions;
  // Counted at the first claim, then kept up to date.
  #shares: UsedTokenQuota | undefined;

  constructor(options: SqliteUsedTokenStoreOptions) {
    this.#options = options;
  }

  claim({ iss, jti, sub, exp }: UsedToken): boolean {
    const { store, retainedExpired = RETAINED_EXPIRED } = this.#options;
    const bytes = estimateBytes(iss, jti);
    return this.#guard(() => {
      const shares = (this.#shares ??= this.#count());
      const outcome = store.transaction(() => {
        const deleteExpired = (kept: number): void => {
          for (const over of this.#deleteExpired(kept)) shares.add(over.iss, over.sub, -over.bytes);
        };
        deleteExpired(retainedExpired);
        if (this.#isMarked(iss, jti)) return 'USED';
        if (!shares.hasCapacity(iss, sub, bytes)) deleteExpired(0);
        if (!shares.hasCapacity(iss, sub, bytes)) return 'FULL';
        store.database
          .prepare('INSERT INTO used_token (iss, jti, sub, expires_at, bytes) VALUES (?, ?, ?, ?, ?)')
          .run(iss, jti, sub, exp, bytes);
        shares.add(iss, sub, bytes);
        return 'MARKED';
      });
      // Not thrown inside the transaction, so that expired marks remain deleted and need not be counted again.
      if (outcome === 'FULL') throw refuseFull();
      return outcome === 'MARKED';
    });
  }

  isClaimed(iss: string, jti: string): boolean {
    return this.#guard(() => this.#isMarked(iss, jti));
  }

  #isMarked(iss: string, jti: string): boolean {
    const row = this.#options.store.database
      .prepare('SELECT 1 FROM used_token WHERE iss = ? AND jti = ?')
      .get(iss, jti);
    return row !== undefined;
  }

  /** Deletes expired marks except the most recently expired ones. */
  #deleteExpired(kept: number): readonly CountedMarks[] {
    const { store, clock, retentionSeconds } = this.#options;
    return store.database
      .prepare(
        `DELETE FROM used_token WHERE expires_at <= (
          SELECT expires_at FROM used_token WHERE expires_at <= ? ORDER BY expires_at DESC LIMIT 1 OFFSET ?
        ) RETURNING iss, sub, bytes`,
      )
      .all(clock.epochMs() / 1000 - retentionSeconds(), kept)
      .map(toCounted);
  }

  #count(): UsedTokenQuota {
    const { store, maximumBytes = MAXIMUM_USED_TOKEN_BYTES } = this.#options;
    const shares = new UsedTokenQuota(maximumBytes);
    const groups = store.database
      .prepare('SELECT iss, sub, sum(bytes) AS bytes FROM used_token GROUP BY iss, sub')
      .all();
    for (const { iss, sub, bytes } of groups.map(toCounted)) shares.add(iss, sub, bytes);
    return shares;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof GatewayError && !(cause instanceof StoreFailure)) throw cause;
      // After a failed transaction the counts may be wrong; the mark is not stored.
      this.#shares = undefined;
      throw new Unavailable({
        code: 'TOKEN_LEDGER_UNAVAILABLE',
        detail: 'cannot record used refresh tokens; try again later',
        retryAfterSeconds: 5,
        cause,
      });
    }
  }
}

interface CountedMarks {
  readonly iss: string;
  readonly sub: string;
  readonly bytes: number;
}

function toCounted(row: Readonly<Record<string, unknown>>): CountedMarks {
  return { iss: String(row['iss']), sub: String(row['sub']), bytes: Number(row['bytes']) };
}
