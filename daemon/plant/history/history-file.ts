import { existsSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { isDamage, openStore, StoreError } from '../../base/store/store.ts';
import { copyDatabase } from './history-copy.ts';
import type { CopyTarget } from './history-copy.ts';
import { historyMigrations } from './history-migrations.ts';
import { HistoryTables } from './history-tables.ts';

const NAME = 'history.db';
const LOG = '-wal';
const UNUSABLE: ReadonlySet<string> = new Set(['STORE_DAMAGED', 'STORE_TOO_NEW']);
// Value of PRAGMA auto_vacuum.
const INCREMENTAL = 2;
// The log of the database shrinks to this size when it was copied into the database.
const LOG_LIMIT_BYTES = 4 * 1024 * 1024;

/** The open file of the history. */
export interface HistoryFile {
  readonly tables: HistoryTables;
  /** Milliseconds since the epoch at which a file began that could not be used and was moved aside; undefined: none was. */
  readonly lostSinceMs: number | undefined;
  /** Resolves when what was committed is on disk; the thread pool waits for it. */
  sync(): Promise<void>;
  /** See `copyDatabase`; to be ended before `close`. */
  copy(target: CopyTarget): Promise<void>;
  /** False after `close`. */
  isOpen(): boolean;
  close(): void;
}

/**
 * Opens the history of a directory, and creates it if missing. One that is damaged, or that a later release wrote, is renamed to
 * `history.damaged.db`, in place of an earlier one, and a new one is begun.
 *
 * @throws {StoreError} `STORE_UNAVAILABLE`, or `STORE_IN_USE`
 */
export function openHistoryFile(directory: string, logger: Logger): HistoryFile {
  const file = path.join(directory, NAME);
  try {
    return openTables(file);
  } catch (error) {
    const isUnusable = error instanceof StoreError && UNUSABLE.has(error.code);
    if (!isUnusable && !isDamage(error)) throw error;
    return replaceHistoryFile(directory, error, logger);
  }
}

/**
 * Moves the history of a directory aside, as `openHistoryFile` does, and begins a new one. The old one must be closed.
 *
 * @param error what was found
 * @throws as `openHistoryFile` does
 */
export function replaceHistoryFile(directory: string, error: unknown, logger: Logger): HistoryFile {
  const file = path.join(directory, NAME);
  const lostSinceMs = Math.round(statSync(file).birthtimeMs);
  moveAside(file, error, logger);
  return { ...openTables(file), lostSinceMs };
}

/** Renames a history that cannot be used. */
function moveAside(file: string, error: unknown, logger: Logger): void {
  const aside = path.join(path.dirname(file), 'history.damaged.db');
  renameSync(file, aside);
  if (existsSync(`${file}${LOG}`)) renameSync(`${file}${LOG}`, `${aside}${LOG}`);
  logger.error('history.movedAside', { file: aside, reason: messageOf(error) });
}

function openTables(file: string): HistoryFile {
  // Each block has a checksum; reading all of the file at each start would take seconds.
  const store = openStore(file, [historyMigrations], { isChecked: false });
  try {
    const { database } = store;
    const [mode] = Object.values(database.prepare('PRAGMA auto_vacuum').get() ?? {});
    // A file that exists takes the mode only so; it has no blocks yet.
    if (mode !== INCREMENTAL) database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
    database.exec(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
    return {
      tables: new HistoryTables(store),
      lostSinceMs: undefined,
      sync: () => syncFile(`${file}${LOG}`),
      copy: (target) => copyDatabase(database, target),
      isOpen: () => database.isOpen,
      close() {
        if (database.isOpen) store.close();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
