import type { Logger } from '../logger.ts';
import type { Migrations, Store } from '../store/store.ts';

/**
 * Encryption state of a store with clear-text secrets of an earlier release. Without a row: not encrypted; `SEALED`: its tables have
 * none any more, but its file may; `REMOVED`: its file has none either.
 */
export const clearTextMigrations: Migrations = {
  module: 'clearText',
  steps: ['CREATE TABLE clear_text (state TEXT NOT NULL) STRICT'],
};

/**
 * Encrypts the secrets that an earlier release stored in clear text, and removes their remains from the file. If there is
 * not enough space, the next start retries.
 *
 * @param seals each encrypts the secrets of some tables, within a transaction, and returns how many rows it wrote
 */
export function sealClearText(store: Store, seals: readonly (() => number)[], logger: Logger): void {
  const { database } = store;
  const findState = (): unknown => database.prepare('SELECT state FROM clear_text').get()?.['state'];
  const setState = (state: string): void => {
    database.exec('DELETE FROM clear_text');
    database.prepare('INSERT INTO clear_text VALUES (?)').run(state);
  };
  try {
    if (findState() === undefined) {
      store.transaction(() => {
        const rows = seals.reduce((sum, seal) => sum + seal(), 0);
        setState(rows === 0 ? 'REMOVED' : 'SEALED');
      });
    }
    if (findState() === 'REMOVED') return;
    // Deleted rows stay in free pages, and replaced pages in the log, until both are rewritten.
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
    store.transaction(() => setState('REMOVED'));
    logger.info('secrets.encrypted');
  } catch (error) {
    logger.error('secrets.notEncrypted', {
      error,
      advice: 'free space on the disk, then restart the gateway',
    });
  }
}
