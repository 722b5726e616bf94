import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

import { CommandError } from '../command-error.ts';
import type { Terminal } from '../command-group.ts';

const LOCK_FILE = 'lock';

const RETRY_INTERVAL_MS = 50;
// Longer than any command that works: one that is stopped with Ctrl-Z must not block the others for good.
const MAXIMUM_WAIT_MS = 120_000;
const QUIET_WAIT_MS = 2_000;

// https://sqlite.org/rescode.html
const SQLITE_BUSY = 5;

/**
 * Runs `work` while no other process works in the directory. The lock is a transaction of SQLite on an empty file: the
 * system releases it when the process ends, however that happens.
 *
 * @throws {CommandError} `AUTHORITY_BUSY` after two minutes, `FILE_UNREADABLE` if the directory is not writable, `STOPPED`
 */
export async function holdAuthorityLock<T>(
  directory: string,
  terminal: Pick<Terminal, 'note' | 'stopSignal'>,
  work: () => Promise<T>,
): Promise<T> {
  const database = openLockFile(directory);
  try {
    await beginExclusively(database, directory, terminal);
    return await work();
  } finally {
    // Rolls the transaction back, which has written nothing.
    database.close();
  }
}

function openLockFile(directory: string): DatabaseSync {
  const file = path.join(directory, LOCK_FILE);
  // A lock that others can open is a lock that others can hold.
  const mask = process.umask(0o077);
  try {
    return new DatabaseSync(file);
  } catch (error) {
    throw toLockFailure(file, error);
  } finally {
    process.umask(mask);
  }
}

async function beginExclusively(
  database: DatabaseSync,
  directory: string,
  { note, stopSignal }: Pick<Terminal, 'note' | 'stopSignal'>,
): Promise<void> {
  const startMs = performance.now();
  for (let isNoted = false; ;) {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return;
    } catch (error) {
      if (!isBusy(error)) throw toLockFailure(path.join(directory, LOCK_FILE), error);
    }
    const waitedMs = performance.now() - startMs;
    if (waitedMs > MAXIMUM_WAIT_MS) {
      const detail = `another command has locked ${directory} for ${MAXIMUM_WAIT_MS / 1000} s`;
      throw new CommandError({ code: 'AUTHORITY_BUSY', detail });
    }
    if (!isNoted && waitedMs > QUIET_WAIT_MS) {
      isNoted = true;
      note(`waiting for another command that uses ${directory}\n`);
    }
    if (stopSignal.aborted)
      throw new CommandError({ code: 'STOPPED', detail: 'stopped; nothing was changed' });
    await setTimeout(RETRY_INTERVAL_MS);
  }
}

function isBusy(error: unknown): boolean {
  return (error as { readonly errcode?: unknown }).errcode === SQLITE_BUSY;
}

function toLockFailure(file: string, cause: unknown): CommandError {
  const detail = `cannot lock ${file}: ${cause instanceof Error ? cause.message : String(cause)}; run this as its owner`;
  return new CommandError({ code: 'FILE_UNREADABLE', detail, cause });
}
