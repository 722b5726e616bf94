import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

import { CommandError } from '../command-error.ts';
import type { Terminal } from '../command-group.ts';

const LOCK_FILE = 'lock';

const RETRY_INTERVAL_MS = 50;
// Longer than any running command; one suspended with Ctrl-Z must not block others forever.
const MAXIMUM_WAIT_MS = 120_000;
const QUIET_WAIT_MS = 2_000;

// https://sqlite.org/rescode.html
const SQLITE_BUSY = 5;

/**
 * Runs `work` with an exclusive lock on the directory. The lock is an SQLite transaction on an empty file, which the system
 * releases whenever the process ends.
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
    // Rolls back the transaction, which has written nothing.
    database.close();
  }
}

function openLockFile(directory: string): DatabaseSync {
  const file = path.join(directory, LOCK_FILE);
  // Other users must not be able to open and hold the lock.
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
