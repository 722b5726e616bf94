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

// Of a channel that is gone: longer than a bundle is away, or a configuration is changed back.
const KEPT_MS = 30 * 86_400_000;

interface LastWritesOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/** Where a write belongs. */
export interface ChannelKey {
  readonly asset: string;
  readonly channel: string;
}

interface LastWrite {
  readonly value: string;
  /** Clock.monotonicMs(); that of the start when the write was made before. */
  readonly sinceMs: number;
}

/**
 * Knows the last write of each channel whose rate is limited, also those of earlier processes.
 *
 * Time counts by the clock that nobody sets. After a restart it counts from the restart: the clock may have been set in
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

  /** Returns the last write of a channel; undefined when there was none. */
  find(key: ChannelKey, valueType: ValueType): EarlierWrite | undefined {
    const last = this.#get(key);
    if (last === undefined) return undefined;
    const elapsedMs = this.#options.clock.monotonicMs() - last.sinceMs;
    return { value: parseValue(valueType, last.value), elapsedMs };
  }

  /**
   * Notes a write that is about to be sent; it is on disk when this returns.
   *
   * @returns forgets the write again, because the device did not take it
   * @throws {StoreFailure} when it cannot be noted
   */
  note(key: ChannelKey, value: ChannelValue): () => void {
    const before = this.#get(key);
    this.#put(key, { value: String(value), sinceMs: this.#options.clock.monotonicMs() });
    return () => {
      try {
        if (before === undefined) this.#remove(key);
        else this.#put(key, before);
      } catch (error) {
        // A write too many in the notes delays the next one, and does no harm.
        if (!(error instanceof StoreFailure)) throw error;
      }
    };
  }

  /**
   * Forgets the writes of channels that have been gone for so long that no limit depends on them; those of drivers whose
   * bundle is away for a while are kept.
   *
   * @param exists whether there is a channel at a place
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
        // The next change of the configuration tries again.
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

// Neither a pid nor the name of a channel contains a slash.
function keyOf({ asset, channel }: ChannelKey): string {
  return `${asset}/${channel}`;
}
