import type { JournalEntry } from './deployment-journal.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { CheckedContent } from '../base/checksummed-file.ts';

/** How a change that was cut off ends. */
export interface RecoveryPlan {
  /** What is installed afterwards: what was there before, or what the change was for. */
  readonly outcome: 'FORMER' | 'NEW';
  /** The former record has to be put back into the ledger first, or taken out where there was none. */
  readonly isLedgerRestored: boolean;
}

/**
 * Decides how a change ends that was cut off.
 *
 * What the ledger names is installed. Only a change that was given up, or whose record is torn, goes back to the former one.
 *
 * @param entry the change as it was announced
 * @param current what the ledger says of the package now
 */
export function planRecovery(entry: JournalEntry, current: CheckedContent<InstalledPackage>): RecoveryPlan {
  if (current.state === 'DAMAGED') return { outcome: 'FORMER', isLedgerRestored: true };
  const directory = current.state === 'INTACT' ? current.value.directory : undefined;
  if (directory === entry.from?.directory) return { outcome: 'FORMER', isLedgerRestored: false };
  if (entry.direction === 'BACKWARD') return { outcome: 'FORMER', isLedgerRestored: true };
  return { outcome: 'NEW', isLedgerRestored: false };
}
