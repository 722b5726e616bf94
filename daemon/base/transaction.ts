import type { DatabaseSync } from 'node:sqlite';

import { Unavailable } from './errors.ts';

/** The medium did not take a change; nothing of it is in force, and the same change may succeed later. */
export class StoreFailure extends Unavailable {}

// Result codes of SQLite (sqlite.org/rescode.html).
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const FAILURES: ReadonlyMap<number, { readonly code: string; readonly reason: string }> = new Map([
  [FULL, { code: 'STORE_FULL', reason: 'the medium is full; make room' }],
  [
    IOERR,
    {
      code: 'STORE_FAILED',
      reason: 'the medium is full or fails; make room, or look at the log of the kernel',
    },
  ],
  [READONLY, { code: 'STORE_FAILED', reason: 'the file system is read-only; look at the log of the kernel' }],
]);

const RETRY_AFTER_SECONDS = 60;

/**
 * Runs `work` as one transaction: all of its changes are on the medium when it returns, or none is in force.
 *
 * @throws {StoreFailure} `STORE_FULL` or `STORE_FAILED` when the medium does not take them
 * @throws whatever `work` throws, after undoing its changes
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
 * Makes sure that a commit which was refused stays undone.
 *
 * A commit fails last when the write-ahead log cannot be synced. It stands in the log whole by then, and a start after
 * a loss of power would take it for done. The next commit begins at the same place of the log and so destroys it.
 */
function eraseRefusedCommit(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA user_version = 0');
  } catch {
    // The medium takes nothing at all; whatever it takes next does the same.
  }
}

function toStoreFailure(error: unknown): unknown {
  const { errcode = 0 } = error as { readonly errcode?: number };
  const failure = FAILURES.get(errcode % 256);
  if (failure === undefined) return error;
  const detail = `the gateway cannot store the change, and did not make it: ${failure.reason}`;
  return new StoreFailure({
    code: failure.code,
    detail,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}
