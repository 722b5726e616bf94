import type { JournalEntry } from './deployment-journal.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { CheckedContent } from '../base/checksummed-file.ts';

/** Outcome of an interrupted change. */
export interface RecoveryPlan {
  /** The version that is installed afterwards: the previous one or the new one. */
  readonly outcome: 'FORMER' | 'NEW';
  /** The ledger must first be restored to the previous record, or to none. */
  readonly isLedgerRestored: boolean;
}

/**
 * Decides the outcome of an interrupted change.
 *
 * The version that the ledger names is installed. Only a failed change, or one whose record is damaged, returns to the previous
 * version.
 *
 * @param entry the change as the journal has it
 * @param current the record of the package in the ledger
 */
export function planRecovery(entry: JournalEntry, current: CheckedContent<InstalledPackage>): RecoveryPlan {
  if (current.state === 'DAMAGED') return { outcome: 'FORMER', isLedgerRestored: true };
  const directory = current.state === 'INTACT' ? current.value.directory : undefined;
  if (directory === entry.from?.directory) return { outcome: 'FORMER', isLedgerRestored: false };
  if (entry.direction === 'BACKWARD') return { outcome: 'FORMER', isLedgerRestored: true };
  return { outcome: 'NEW', isLedgerRestored: false };
}
