import type { Clock } from '../../../base/clock.ts';
import { check, z } from '../../../base/schema.ts';
import { StoreError } from '../../../base/store/store.ts';
import type { Store } from '../../../base/store/store.ts';

/** Consecutive wrong codes of one identity, from any address, without delay. */
export const FREE_WRONG_CODES = 10;

/** Upper bound of the delay, which doubles with each wrong code: a hundred attempts a day at a million codes. */
export const MAXIMUM_CODE_DELAY_SECONDS = 15 * 60;

/** Table of wrong codes; an identity without wrong codes has no row. */
export const WRONG_CODE_TABLE = `CREATE TABLE wrong_code (
  identity_id TEXT PRIMARY KEY REFERENCES identity (id) ON DELETE CASCADE,
  count INTEGER NOT NULL,
  last_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

// After this time without a wrong code, the count is reset.
const FORGET_AFTER_MS = 24 * 60 * 60_000;

const rowsSchema = z.array(z.object({ identity_id: z.string(), count: z.int(), last_at_ms: z.int() }));

interface WrongCodes {
  readonly count: number;
  /** Clock.monotonicMs(); before the start of the process for one of an earlier run. */
  readonly lastAtMs: number;
}

/**
 * Delays the codes of an identity after wrong ones. Unlike failed passwords, they are counted over all addresses: a code has
 * six digits, and an attacker who can guess it already has the password. The count is on disk, so that a restart grants no
 * further attempts.
 */
export class CodeDelay {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #wrong: Map<string, WrongCodes>;

  /**
   * Loads the counts from disk.
   *
   * @throws {StoreError} `STORE_DAMAGED` if a row is invalid
   */
  constructor(store: Store, clock: Clock) {
    this.#clock = clock;
    this.#store = store;
    this.#wrong = new Map(readAll(store, clock));
  }

  /** Returns the remaining whole seconds for which codes are rejected unchecked; 0: none. */
  secondsLeft(identityId: string): number {
    const wrong = this.#wrong.get(identityId);
    if (wrong === undefined) return 0;
    const endMs = wrong.lastAtMs + delayAfter(wrong.count) * 1000;
    return Math.max(0, Math.ceil((endMs - this.#clock.monotonicMs()) / 1000));
  }

  /**
   * Counts a wrong code; the count is on disk when the call returns.
   *
   * @returns seconds for which codes of the identity are rejected unchecked
   * @throws {StoreFailure} if it cannot be stored; it then counts until the process exits
   */
  countWrong(identityId: string): number {
    const lastAtMs = this.#clock.monotonicMs();
    const old = [...this.#wrong].filter(([, wrong]) => lastAtMs - wrong.lastAtMs >= FORGET_AFTER_MS);
    for (const [id] of old) this.#wrong.delete(id);
    const count = (this.#wrong.get(identityId)?.count ?? 0) + 1;
    this.#wrong.set(identityId, { count, lastAtMs });
    this.#store.transaction(() => {
      for (const [id] of old) this.#remove(id);
      this.#store.database
        .prepare('INSERT OR REPLACE INTO wrong_code VALUES (?, ?, ?)')
        .run(identityId, count, Math.round(this.#clock.epochMs()));
    });
    return delayAfter(count);
  }

  /**
   * Resets the wrong codes.
   *
   * @throws {StoreFailure} if that cannot be stored; they return after a restart
   */
  clear(identityId: string): void {
    if (this.#wrong.delete(identityId)) this.#store.transaction(() => this.#remove(identityId));
  }

  #remove(identityId: string): void {
    this.#store.database.prepare('DELETE FROM wrong_code WHERE identity_id = ?').run(identityId);
  }
}

function delayAfter(count: number): number {
  const beyond = count - FREE_WRONG_CODES;
  return beyond < 0 ? 0 : Math.min(MAXIMUM_CODE_DELAY_SECONDS, 2 ** beyond);
}

function readAll({ database }: Store, clock: Clock): readonly (readonly [string, WrongCodes])[] {
  const { value: rows } = check(rowsSchema, database.prepare('SELECT * FROM wrong_code').all());
  if (rows === undefined) {
    throw new StoreError({
      code: 'STORE_DAMAGED',
      detail: 'cannot read the failed second-factor attempts',
    });
  }
  return rows.map(({ identity_id: id, count, last_at_ms: lastAtMs }) => {
    // If the clock is behind, as on a machine without battery at start, the whole delay starts again.
    const agoMs = Math.max(0, clock.epochMs() - lastAtMs);
    return [id, { count, lastAtMs: clock.monotonicMs() - agoMs }];
  });
}
