import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { backup } from 'node:sqlite';

import { StoreFailure } from './transaction.ts';

/** Name of the copy in the data directory. */
export const STORE_COPY = 'penstock.db.copy';

/** Directory of journal and history in the data directory. */
export const RECORDING_DIRECTORY = 'recording';

/** Directory with the copy of journal and history in the data directory. */
export const RECORDING_COPY = `${RECORDING_DIRECTORY}/copy`;

/** Makes copies of the store while it is in use. */
export interface StoreCopier {
  /**
   * Replaces the copy by one with every change so far, none of them partly.
   *
   * @throws {StoreFailure} `STORE_FULL` if the disk is full, `STORE_FAILED` when it fails
   */
  copy(): Promise<void>;
}

/**
 * Creates the copier of a store. One copy is made at a time; the pages are copied in small portions,
 * between which requests continue.
 */
export function createStoreCopier(database: DatabaseSync, dataDirectory: string): StoreCopier {
  const file = path.join(dataDirectory, STORE_COPY);
  let turn: Promise<unknown> = Promise.resolve();
  return {
    copy() {
      const copied = turn.then(() => copyStore(database, file));
      turn = copied.catch(() => undefined);
      return copied;
    },
  };
}

async function copyStore(database: DatabaseSync, file: string): Promise<void> {
  const waiting = `${file}.tmp`;
  try {
    await rm(waiting, { force: true });
    // The mode is set at creation: at no moment may others read it.
    await writeFile(waiting, '', { flag: 'wx', mode: 0o600 });
    await backup(database, waiting);
    await rename(waiting, file);
  } catch (cause) {
    await rm(waiting, { force: true });
    throw toCopyFailure('the store was', cause);
  }
}

// Result code of SQLite for a full disk (sqlite.org/rescode.html).
const FULL = 13;

/**
 * Returns the failure of a copy.
 *
 * @param what what was not copied, with its verb
 */
export function toCopyFailure(what: string, cause: unknown): StoreFailure {
  const { errcode = 0, code } = cause as { readonly errcode?: number; readonly code?: unknown };
  const isFull = errcode % 256 === FULL || code === 'ENOSPC';
  return new StoreFailure({
    code: isFull ? 'STORE_FULL' : 'STORE_FAILED',
    detail: `${what} not copied: ${isFull ? 'the disk is full; free space' : 'the disk is full or failed; see the kernel log'}`,
    retryAfterSeconds: 60,
    cause,
  });
}
