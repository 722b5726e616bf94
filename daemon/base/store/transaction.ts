import type { DatabaseSync } from 'node:sqlite';

import type { ErrorCodeOf } from '../error-codes.ts';
import { Unavailable } from '../errors.ts';

/** The disk refused a change; it has no effect, and may succeed later. */
export class StoreFailure extends Unavailable {}

// Result codes of SQLite (sqlite.org/rescode.html).
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const FAILURES: ReadonlyMap<number, { readonly code: ErrorCodeOf<503>; readonly reason: string }> = new Map([
  [FULL, { code: 'STORE_FULL', reason: 'the disk is full; free space' }],
  [
    IOERR,
    {
      code: 'STORE_FAILED',
      reason: 'the disk is full or failed; free space, or see the kernel log',
    },
  ],
  [READONLY, { code: 'STORE_FAILED', reason: 'the file system is read-only; see the kernel log' }],
]);

const RETRY_AFTER_SECONDS = 60;

/**
 * Runs `work` as one transaction: all of its changes are on disk when it returns, or none is active.
 *
 * @throws {StoreFailure} `STORE_FULL` or `STORE_FAILED` when the disk refuses them
 * @throws errors of `work`, after undoing its changes
 */
export function runTransaction<T>(database: DatabaseSync, work: () => T): T {
  try {
    database.exec('BEGIN IMMEDIATE');
    const result = work();
    commit(database);
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw toStoreFailure(error);
  }
}

function commit(database: DatabaseSync): void {
  try {
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    eraseRefusedCommit(database);
    throw error;
  }
}

/**
 * Ensures that a refused commit stays undone.
 *
 * A commit fails last when the write-ahead log cannot be synced. It is complete in the log by then, and a start
 * after a power failure would replay it. The next commit begins at the same position of the log and so overwrites it.
 */
function eraseRefusedCommit(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA user_version = 0');
  } catch {
    // The disk accepts nothing at all; the next commit that it accepts has the same effect.
  }
}

function toStoreFailure(error: unknown): unknown {
  const { errcode = 0 } = error as { readonly errcode?: number };
  const failure = FAILURES.get(errcode % 256);
  if (failure === undefined) return error;
  const detail = `cannot store the change; nothing was changed: ${failure.reason}`;
  return new StoreFailure({
    code: failure.code,
    detail,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}
