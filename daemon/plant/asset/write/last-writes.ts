import type { Clock } from '../../../base/clock.ts';
import type { Migrations, Store } from '../../../base/store/store.ts';
import { StoreFailure } from '../../../base/store/transaction.ts';
import { parseValue } from '../../../channel/value-json.ts';
import type { ChannelValue, ValueType } from '../../../channel/value-type.ts';
import type { EarlierWrite } from './write-limits.ts';

/** The table of the last write of each channel whose rate is limited. */
export const lastWriteMigrations: Migrations = {
  module: 'asset',
  steps: [
    `CREATE TABLE last_write (
      asset TEXT NOT NULL,
      channel TEXT NOT NULL,
      value TEXT NOT NULL,
      at_ms REAL NOT NULL,
      PRIMARY KEY (asset, channel)
    ) STRICT, WITHOUT ROWID`,
  ],
};

// For removed channels: longer than a bundle is absent, or until a configuration is reverted.
const KEPT_MS = 30 * 86_400_000;

interface LastWritesOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/** Key of a channel. */
export interface ChannelKey {
  readonly asset: string;
  readonly channel: string;
}

interface LastWrite {
  readonly value: string;
  /** Clock.monotonicMs(); for writes of earlier processes, that of the start. */
  readonly sinceMs: number;
}

/**
 * Stores the last write of each rate-limited channel; survives restarts.
 *
 * Time is measured by the monotonic clock. After a restart it counts from the restart: the clock may have been set in
 * between, and a time too long would allow a change too fast.
 */
export class LastWrites {
  readonly #options: LastWritesOptions;
  readonly #startMs: number;
  readonly #cache = new Map<string, LastWrite>();

  constructor(options: LastWritesOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonicMs();
  }

  /** Returns the last write of a channel; undefined without any. */
  find(key: ChannelKey, valueType: ValueType): EarlierWrite | undefined {
    const last = this.#get(key);
    if (last === undefined) return undefined;
    const elapsedMs = this.#options.clock.monotonicMs() - last.sinceMs;
    return { value: parseValue(valueType, last.value), elapsedMs };
  }

  /**
   * Records a write that is about to be sent; it is on disk when this returns.
   *
   * @returns a function that removes the record, because the device did not accept the write
   * @throws {StoreFailure} when it cannot be stored
   */
  note(key: ChannelKey, value: ChannelValue): () => void {
    const before = this.#get(key);
    this.#put(key, { value: String(value), sinceMs: this.#options.clock.monotonicMs() });
    return () => {
      try {
        if (before === undefined) this.#remove(key);
        else this.#put(key, before);
      } catch (error) {
        // A surplus record only delays the next write.
        if (!(error instanceof StoreFailure)) throw error;
      }
    };
  }

  /**
   * Removes writes of channels that have been absent for so long that no limit depends on them; those of drivers whose
   * bundle is temporarily absent stay.
   *
   * @param exists returns true if the channel exists
   */
  prune(exists: (key: ChannelKey) => boolean): void {
    const { store, clock } = this.#options;
    const rows = store.database
      .prepare('SELECT asset, channel FROM last_write WHERE at_ms < ?')
      .all(clock.epochMs() - KEPT_MS);
    for (const row of rows) {
      const key = { asset: String(row['asset']), channel: String(row['channel']) };
      try {
        if (!exists(key)) this.#remove(key);
      } catch (error) {
        // The next configuration change retries.
        if (!(error instanceof StoreFailure)) throw error;
      }
    }
  }

  #get(key: ChannelKey): LastWrite | undefined {
    const cached = this.#cache.get(keyOf(key));
    if (cached !== undefined) return cached;
    const row = this.#options.store.database
      .prepare('SELECT value FROM last_write WHERE asset = ? AND channel = ?')
      .get(key.asset, key.channel);
    return row === undefined ? undefined : { value: String(row['value']), sinceMs: this.#startMs };
  }

  #put(key: ChannelKey, last: LastWrite): void {
    const { store, clock } = this.#options;
    store.transaction(() =>
      store.database
        .prepare('INSERT OR REPLACE INTO last_write (asset, channel, value, at_ms) VALUES (?, ?, ?, ?)')
        .run(key.asset, key.channel, last.value, clock.epochMs()),
    );
    this.#cache.set(keyOf(key), last);
  }

  #remove(key: ChannelKey): void {
    const { store } = this.#options;
    store.transaction(() =>
      store.database
        .prepare('DELETE FROM last_write WHERE asset = ? AND channel = ?')
        .run(key.asset, key.channel),
    );
    this.#cache.delete(keyOf(key));
  }
}

// Pids and channel names contain no slash.
function keyOf({ asset, channel }: ChannelKey): string {
  return `${asset}/${channel}`;
}
