import type { Clock } from '../../base/clock.ts';
import { check, z } from '../../base/schema.ts';
import { StoreError } from '../../base/store/store.ts';
import type { Migrations, Store } from '../../base/store/store.ts';
import { IdempotencyQuota } from './idempotency-quota.ts';
import type { IdempotencyLimits } from './idempotency-quota.ts';

/** Retention of a key after its request. */
export const RETENTION_MS = 24 * 3_600_000;
/** Default limits: one key per second for a day, each with a small response. */
const DEFAULT_LIMITS: IdempotencyLimits = { keys: 100_000, bytes: 64 * 1_048_576 };

// Name, digests, indexes and a short response. A response repeats the content of the request body in a longer form.
const BYTES_OF_KEY = 512;
const RESPONSE_BYTES_PER_BODY_BYTE = 4;
// A larger difference means that the clock was set; drift between two requests is smaller.
const CLOCK_SET_MS = 10_000;

/** Table of the keys; without `status`, the response was not recorded. */
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

/** A key in the scope of one identity. */
export interface KeyOwner {
  /** Id of the identity. */
  readonly identity: string;
  readonly key: string;
}

/** Fingerprint of a request; detects reuse of a key for a different request. */
export interface KeyedRequest extends KeyOwner {
  /** Digest of method, path and body. */
  readonly digest: string;
  readonly bodyBytes: number;
}

/** A stored response. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer;
}

/** State of a key. */
export type KeyClaim =
  /** Unknown until now; it is recorded, and on disk. */
  | { readonly state: 'NEW' }
  /** Completed; with the response of its request. */
  | { readonly state: 'ANSWERED'; readonly answer: StoredResponse; readonly nowMs: number }
  /** The response of its request was never recorded: the request may have been executed. Times since the epoch. */
  | { readonly state: 'INTERRUPTED'; readonly nowMs: number }
  /** Used for a different request. */
  | { readonly state: 'REUSED' }
  /** The quota of this identity is exhausted. */
  | { readonly state: 'FULL' };

interface IdempotencyStoreOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits?: IdempotencyLimits;
}

const rowSchema = z.object({
  digest: z.string(),
  status: z.number().nullable(),
  headers: z.string().nullable(),
  body: z.instanceof(Uint8Array).nullable(),
});
const headersSchema = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/**
 * Stores idempotency keys and their responses for {@link RETENTION_MS}, so that a repeated request is executed once.
 *
 * The retention follows elapsed time, even if the system clock is set.
 */
export class IdempotencyStore {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: IdempotencyLimits;
  readonly #running = new Set<string>();
  // Counted at the first claim, then kept up to date.
  #shares: IdempotencyQuota | undefined;
  /** Epoch time of the origin of the monotonic clock; changes when the system clock is set. */
  #originMs: number;

  constructor({ store, clock, limits = DEFAULT_LIMITS }: IdempotencyStoreOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = limits;
    this.#originMs = clock.epochMs() - clock.monotonicMs();
  }

  /** Marks a request as running until `complete`, `release` or `end`; returns false if it is already running. */
  begin(owner: KeyOwner): boolean {
    const name = nameOf(owner);
    if (this.#running.has(name)) return false;
    this.#running.add(name);
    return true;
  }

  /** Removes the mark of `begin`; the record remains. */
  end(owner: KeyOwner): void {
    this.#running.delete(nameOf(owner));
  }

  /**
   * Returns the state of a key and records it if it is new; the record is on disk when this returns.
   *
   * @throws {StoreFailure} if the disk write fails
   */
  claim(request: KeyedRequest): KeyClaim {
    const { identity, key, digest, bodyBytes } = request;
    const bytes = BYTES_OF_KEY + bodyBytes * RESPONSE_BYTES_PER_BODY_BYTE;
    return this.#change((shares) => {
      this.#deleteExpired(shares);
      const known = this.#find(request);
      if (known !== undefined) return known;
      if (!shares.hasCapacity(identity, bytes)) return { state: 'FULL' };
      this.#store.database
        .prepare('INSERT INTO request_key (identity, key, digest, claimed_at, bytes) VALUES (?, ?, ?, ?, ?)')
        .run(identity, key, digest, Math.round(this.#clock.epochMs()), bytes);
      shares.add(identity, 1, bytes);
      return { state: 'NEW' };
    });
  }

  /** Returns true if a key is recorded for a different request. */
  isReused(request: Pick<KeyedRequest, 'identity' | 'key' | 'digest'>): boolean {
    return this.#find(request)?.state === 'REUSED';
  }

  /**
   * Records the response of a claimed request and ends it.
   *
   * @throws {StoreFailure} if the disk write fails; the request then counts as interrupted
   */
  complete(owner: KeyOwner, { status, headers, body }: StoredResponse): void {
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
   * Deletes the key of a request without effect and ends it.
   *
   * @throws {StoreFailure} if the disk write fails; the request then counts as interrupted
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

  #change<T>(work: (shares: IdempotencyQuota) => T): T {
    const originMs = this.#originMs;
    try {
      const shares = (this.#shares ??= this.#count());
      return this.#store.transaction(() => work(shares));
    } catch (error) {
      // The transaction was rolled back, but the counts were not.
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

  #deleteExpired(shares: IdempotencyQuota): void {
    this.#followClock();
    const forgotten = this.#store.database
      .prepare('DELETE FROM request_key WHERE claimed_at <= ? RETURNING identity, bytes')
      .all(this.#clock.epochMs() - RETENTION_MS);
    for (const { identity, bytes } of forgotten) shares.add(String(identity), -1, -Number(bytes));
  }

  /** Shifts the times of the keys when the clock was set: a clock without battery jumps by years at the first synchronization. */
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

  #count(): IdempotencyQuota {
    const shares = new IdempotencyQuota(this.#limits);
    const groups = this.#store.database
      .prepare('SELECT identity, count(*) AS keys, sum(bytes) AS bytes FROM request_key GROUP BY identity')
      .all();
    for (const { identity, keys, bytes } of groups) shares.add(String(identity), Number(keys), Number(bytes));
    return shares;
  }
}

// Keys contain no spaces.
function nameOf({ identity, key }: KeyOwner): string {
  return `${key} ${identity}`;
}

function damaged(): StoreError {
  return new StoreError({ code: 'STORE_DAMAGED', detail: 'cannot read the idempotency key table' });
}
