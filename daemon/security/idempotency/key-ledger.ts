import type { Clock } from '../../base/clock.ts';
import { check, z } from '../../base/schema.ts';
import { StoreError } from '../../base/store/store.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import { KeyShares } from './key-shares.ts';
import type { KeyLimits } from './key-shares.ts';

/** How long a key is kept after the request that brought it. */
export const KEPT_MS = 24 * 3_600_000;
/** The bounds unless the composition says otherwise: one key a second for a day, with a small answer each. */
const KEY_LIMITS: KeyLimits = { keys: 100_000, bytes: 64 * 1_048_576 };

// Name, digests, indexes and a short answer; and an answer repeats what the body asks for, with more words.
const BYTES_OF_KEY = 512;
const BYTES_OF_ANSWER_PER_BODY = 4;
// A clock that was set moves by more than it drifts between two requests.
const CLOCK_SET_MS = 10_000;

/** The table of the keys; without `status`, the answer was not recorded. */
export const idempotencyMigrations: Migrations = {
  module: 'idempotency',
  steps: [
    `CREATE TABLE request_key (
      identity TEXT NOT NULL,
      key TEXT NOT NULL,
      digest TEXT NOT NULL,
      claimed_at INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      status INTEGER,
      headers TEXT,
      body BLOB,
      PRIMARY KEY (identity, key)
    ) STRICT;
    CREATE INDEX request_key_age ON request_key (claimed_at)`,
  ],
};

/** A key belongs to one identity: others may use the same. */
export interface KeyOwner {
  /** The id of the identity. */
  readonly identity: string;
  readonly key: string;
}

/** What a request asks for, as far as two have to be told apart. */
export interface KeyedRequest extends KeyOwner {
  /** Of method, path and body. */
  readonly digest: string;
  readonly bodyBytes: number;
}

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
}

/** What is known of a key. */
export type KeyClaim =
  /** Nothing; it is recorded now, and on disk. */
  | { readonly state: 'NEW' }
  /** The answer of the request that brought it. */
  | { readonly state: 'ANSWERED'; readonly answer: KeptAnswer; readonly nowMs: number }
  /** A request brought it whose answer was never recorded: it may have been carried out. The times are of the epoch. */
  | { readonly state: 'INTERRUPTED'; readonly nowMs: number }
  /** It was used for another request. */
  | { readonly state: 'REUSED' }
  /** There is no room for another key of this identity. */
  | { readonly state: 'FULL' };

interface KeyLedgerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits?: KeyLimits;
}

const rowSchema = z.object({
  digest: z.string(),
  status: z.number().nullable(),
  headers: z.string().nullable(),
  body: z.instanceof(Uint8Array).nullable(),
});
const headersSchema = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/**
 * Keeps the keys of requests and their answers for {@link KEPT_MS}, so that a request that is repeated is carried out once.
 *
 * The time that the clock is set forward or back does not count.
 */
export class KeyLedger {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: KeyLimits;
  readonly #running = new Set<string>();
  // Counted at the first claim, then kept up to date.
  #shares: KeyShares | undefined;
  /** The time of the epoch at which the monotonic clock began; moves when the clock is set. */
  #originMs: number;

  constructor({ store, clock, limits = KEY_LIMITS }: KeyLedgerOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#originMs = clock.epochMs() - clock.monotonicMs();
  }

  /** Marks a key as one whose request runs, until `complete`, `release` or `end`; false when it runs already. */
  begin(owner: KeyOwner): boolean {
    const name = nameOf(owner);
    if (this.#running.has(name)) return false;
    this.#running.add(name);
    return true;
  }

  /** Ends the mark of `begin`; what was recorded stays. */
  end(owner: KeyOwner): void {
    this.#running.delete(nameOf(owner));
  }

  /**
   * Returns what is known of a key, and records it when that is nothing; it is on disk when this returns.
   *
   * @throws {StoreFailure} when the disk refuses it
   */
  claim(request: KeyedRequest): KeyClaim {
    const { identity, key, digest, bodyBytes } = request;
    const bytes = BYTES_OF_KEY + bodyBytes * BYTES_OF_ANSWER_PER_BODY;
    return this.#change((shares) => {
      this.#forgetOld(shares);
      const known = this.#find(request);
      if (known !== undefined) return known;
      if (!shares.hasRoom(identity, bytes)) return { state: 'FULL' };
      this.#store.database
        .prepare('INSERT INTO request_key (identity, key, digest, claimed_at, bytes) VALUES (?, ?, ?, ?, ?)')
        .run(identity, key, digest, Math.round(this.#clock.epochMs()), bytes);
      shares.add(identity, 1, bytes);
      return { state: 'NEW' };
    });
  }

  /** Returns whether a key is recorded for another request than this one. */
  isReused(request: Pick<KeyedRequest, 'identity' | 'key' | 'digest'>): boolean {
    return this.#find(request)?.state === 'REUSED';
  }

  /**
   * Records the answer of a claimed request, and ends it.
   *
   * @throws {StoreFailure} when the disk refuses it; the request counts as interrupted then
   */
  complete(owner: KeyOwner, { status, headers, body }: KeptAnswer): void {
    this.end(owner);
    const { identity, key } = owner;
    const fields = JSON.stringify(headers);
    const bytes = BYTES_OF_KEY + fields.length + (body?.length ?? 0);
    this.#change((shares) => {
      const before = this.#countBytes(owner);
      if (before === undefined) return;
      this.#store.database
        .prepare(
          'UPDATE request_key SET status = ?, headers = ?, body = ?, bytes = ? WHERE identity = ? AND key = ?',
        )
        .run(status, fields, body ?? null, bytes, identity, key);
      shares.add(identity, 0, bytes - before);
    });
  }

  /**
   * Forgets the key of a request that changed nothing, and ends it.
   *
   * @throws {StoreFailure} when the disk refuses it; the request counts as interrupted then
   */
  release(owner: KeyOwner): void {
    this.end(owner);
    this.#change((shares) => {
      const before = this.#countBytes(owner);
      if (before === undefined) return;
      this.#store.database
        .prepare('DELETE FROM request_key WHERE identity = ? AND key = ?')
        .run(owner.identity, owner.key);
      shares.add(owner.identity, -1, -before);
    });
  }

  #change<T>(work: (shares: KeyShares) => T): T {
    const originMs = this.#originMs;
    try {
      const shares = (this.#shares ??= this.#count());
      return this.#store.transaction(() => work(shares));
    } catch (error) {
      // The changes were undone, those of the counts were not.
      this.#shares = undefined;
      this.#originMs = originMs;
      throw error;
    }
  }

  #find({
    identity,
    key,
    digest,
  }: Pick<KeyedRequest, 'identity' | 'key' | 'digest'>): Exclude<KeyClaim, { state: 'NEW' }> | undefined {
    const columns = this.#store.database
      .prepare('SELECT digest, status, headers, body FROM request_key WHERE identity = ? AND key = ?')
      .get(identity, key);
    if (columns === undefined) return undefined;
    const { value: row } = check(rowSchema, columns);
    if (row === undefined) throw damaged();
    if (row.digest !== digest) return { state: 'REUSED' };
    if (row.status === null) return { state: 'INTERRUPTED', nowMs: this.#clock.epochMs() };
    const { value: headers } = check(headersSchema, JSON.parse(row.headers ?? '{}'));
    if (headers === undefined) throw damaged();
    const body = row.body === null ? {} : { body: Buffer.from(row.body) };
    const answer = { status: row.status, headers, ...body };
    return { state: 'ANSWERED', answer, nowMs: this.#clock.epochMs() };
  }

  #countBytes({ identity, key }: KeyOwner): number | undefined {
    const row = this.#store.database
      .prepare('SELECT bytes FROM request_key WHERE identity = ? AND key = ?')
      .get(identity, key);
    return row === undefined ? undefined : Number(row['bytes']);
  }

  #forgetOld(shares: KeyShares): void {
    this.#followClock();
    const forgotten = this.#store.database
      .prepare('DELETE FROM request_key WHERE claimed_at <= ? RETURNING identity, bytes')
      .all(this.#clock.epochMs() - KEPT_MS);
    for (const { identity, bytes } of forgotten) shares.add(String(identity), -1, -Number(bytes));
  }

  /** Moves the times of the keys with a clock that was set: one without battery jumps by years once it is told the time. */
  #followClock(): void {
    const epochMs = this.#clock.epochMs();
    const originMs = epochMs - this.#clock.monotonicMs();
    const movedMs = originMs - this.#originMs;
    this.#originMs = originMs;
    if (Math.abs(movedMs) < CLOCK_SET_MS) return;
    this.#store.database
      .prepare('UPDATE request_key SET claimed_at = min(claimed_at + ?, ?)')
      .run(Math.round(movedMs), Math.round(epochMs));
  }

  #count(): KeyShares {
    const shares = new KeyShares(this.#limits);
    const groups = this.#store.database
      .prepare('SELECT identity, count(*) AS keys, sum(bytes) AS bytes FROM request_key GROUP BY identity')
      .all();
    for (const { identity, keys, bytes } of groups) shares.add(String(identity), Number(keys), Number(bytes));
    return shares;
  }
}

// No key holds a space.
function nameOf({ identity, key }: KeyOwner): string {
  return `${key} ${identity}`;
}

function damaged(): StoreError {
  return new StoreError({ code: 'STORE_DAMAGED', detail: 'cannot read the idempotency key table' });
}
