import { chmodSync, closeSync, openSync, realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { GatewayError, messageOf } from '../errors.ts';
import { describeFileFault } from '../file/file-fault.ts';
import { findProcessWith } from '../process/find-process.ts';
import { runTransaction } from './transaction.ts';

/** The tables of one module: `steps[n]` takes them from version n to n + 1; a step that was ever released is never changed. */
export interface Migrations {
  readonly module: string;
  readonly steps: readonly string[];
}

/** The state on disk belongs to a newer release, is damaged, or cannot be opened. */
export class StoreError extends GatewayError {}

/** The single file with all state: transactional, and safe against loss of power at any moment. */
export interface Store {
  readonly database: DatabaseSync;
  /**
   * Runs `work` as one transaction: all of its changes are on disk when it returns, or none.
   *
   * @throws {StoreFailure} `STORE_FULL` or `STORE_FAILED` when the disk refuses them
   * @throws errors of `work`, after undoing its changes
   */
  transaction<T>(work: () => T): T;
  /**
   * Runs `work` as one transaction that survives any exit of the process after it returns, and the loss of power once a
   * later `transaction` returns. It costs no wait for the disk.
   *
   * @throws as `transaction` does
   */
  quickTransaction<T>(work: () => T): T;
  /**
   * Creates or migrates the tables of a module that is used from now on.
   *
   * @throws {StoreError} `STORE_TOO_NEW` when a later release wrote them
   * @throws {StoreFailure} as `transaction` does
   */
  migrate(migrations: Migrations): void;
  close(): void;
}

interface StoreOptions {
  /** False for a database that is too large to be read as a whole at each start. */
  readonly isChecked?: boolean;
}

/**
 * Opens the store, creates it if missing, and migrates its tables.
 *
 * @param file path of the database, or `:memory:`
 * @param migrations the tables of every module, in an order that satisfies their references
 * @throws {StoreError} `STORE_TOO_NEW` when a later release wrote the file, `STORE_DAMAGED` when it is no intact database,
 *   `STORE_IN_USE` when another process has it open, `STORE_UNAVAILABLE` when it cannot be read or written
 */
export function openStore(
  file: string,
  migrations: readonly Migrations[],
  { isChecked = true }: StoreOptions = {},
): Store {
  if (file !== ':memory:') createPrivateFile(file);
  const database = openDatabase(file, isChecked);
  const store: Store = {
    database,
    transaction: (work) => runTransaction(database, work),
    quickTransaction: (work) => runUnsynced(database, () => runTransaction(database, work)),
    migrate: (each) => store.transaction(() => migrate(database, each)),
    close: () => database.close(),
  };
  try {
    for (const each of migrations) store.migrate(each);
  } catch (error) {
    database.close();
    throw isDamage(error) ? damaged(file, error) : error;
  }
  return store;
}

/** Returns true for an error of a database that is not intact. */
export function isDamage(error: unknown): boolean {
  return DAMAGE.has(((error as { readonly errcode?: number }).errcode ?? 0) % 256);
}

function runUnsynced<T>(database: DatabaseSync, work: () => T): T {
  // NORMAL: the log is written, and synced with the next commit that FULL syncs, or when it is copied into the database.
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    return work();
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
}

// Result codes of SQLite (sqlite.org/rescode.html): SQLITE_CORRUPT and SQLITE_NOTADB; SQLITE_BUSY.
const DAMAGE = new Set([11, 26]);
const BUSY = 5;

function openDatabase(file: string, isChecked: boolean): DatabaseSync {
  const database = new DatabaseSync(file);
  try {
    // EXCLUSIVE: two daemons on one store would each respond from their own cache.
    // FULL: a commit is on disk before it returns, which NORMAL does not promise in WAL mode.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON',
    );
    if (isChecked) {
      const [finding] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
      if (finding !== 'ok') throw damaged(file, finding);
      // The check leaves all pages that it has read in the cache.
      database.exec('PRAGMA shrink_memory');
    }
    database.exec(
      'CREATE TABLE IF NOT EXISTS schema_version (room TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT',
    );
    return database;
  } catch (cause) {
    database.close();
    if (cause instanceof StoreError) throw cause;
    if (isDamage(cause)) throw damaged(file, cause);
    if (((cause as { readonly errcode?: number }).errcode ?? 0) % 256 === BUSY) {
      throw new StoreError({ code: 'STORE_IN_USE', detail: describeUse(file), cause });
    }
    throw new StoreError({
      code: 'STORE_UNAVAILABLE',
      detail: `cannot use ${file}: ${messageOf(cause)}`,
      cause,
    });
  }
}

function describeUse(file: string): string {
  const owner = findProcessWith(new Set([realpathSync(file)]));
  const name = owner === undefined ? 'another process' : `${owner.name} (process ${owner.pid})`;
  return `${file} is in use by ${name}; stop it first`;
}

function damaged(file: string, cause: unknown): StoreError {
  return new StoreError({
    code: 'STORE_DAMAGED',
    detail: `${file} is not an intact database; restore a backup, or move it away to start with an empty one`,
    cause,
  });
}

function createPrivateFile(file: string): void {
  try {
    // The mode is set at creation: at no moment may others read it.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  } catch (cause) {
    throw new StoreError({
      code: 'STORE_UNAVAILABLE',
      detail: `cannot use ${file}: ${describeFileFault(cause)}`,
      cause,
    });
  }
}

function migrate(database: DatabaseSync, { module, steps }: Migrations): void {
  const row = database.prepare('SELECT version FROM schema_version WHERE room = ?').get(module);
  const version = typeof row?.['version'] === 'number' ? row['version'] : 0;
  if (version > steps.length) {
    throw new StoreError({
      code: 'STORE_TOO_NEW',
      detail: `the tables of ${module} have version ${version}, this release supports up to ${steps.length}; reinstall the newer release or restore a backup`,
    });
  }
  for (const step of steps.slice(version)) database.exec(step);
  database
    .prepare(
      'INSERT INTO schema_version VALUES (?, ?) ON CONFLICT (room) DO UPDATE SET version = excluded.version',
    )
    .run(module, steps.length);
}
