import { DeploymentError } from '../package/deployment-error.ts';
import type { DeploymentJournal, JournalEntry } from './deployment-journal.ts';
import type { LedgerContent, PackageLedger } from './package-ledger.ts';
import type { PackageStore } from './package-store.ts';
import { planRecovery } from './recovery-plan.ts';
import type { RecoveryPlan } from './recovery-plan.ts';

/** What is installed after a change has ended, one way or the other. */
export interface Settlement {
  readonly ledger: LedgerContent;
  /** The change that had been left open; undefined: none. */
  readonly change?: { readonly entry: JournalEntry; readonly outcome: RecoveryPlan['outcome'] };
}

export interface PackageRecoveryParts {
  readonly store: PackageStore;
  readonly ledger: PackageLedger;
  readonly journal: DeploymentJournal;
}

/** Hears how a change ends. */
export type OnDecided = (entry: JournalEntry, outcome: RecoveryPlan['outcome']) => void;

/** Ends changes: the same way after success, after failure, and at the start after a crash. */
export class PackageRecovery {
  readonly #parts: PackageRecoveryParts;

  constructor(parts: PackageRecoveryParts) {
    this.#parts = parts;
  }

  /**
   * Ends the change that the journal names, if any, and removes what belongs to no installed package. Cut off at any moment
   * and called again, it comes to the same end.
   *
   * @param keptOperations gives the operations whose spooled package is still of use
   * @param onDecided called once it is decided how a change ends, before the journal forgets it
   * @throws {DeploymentError} `COMMIT_ERROR` when the medium does not let it be done; the change is still open then
   */
  async settle(keptOperations: () => ReadonlySet<string>, onDecided: OnDecided): Promise<Settlement> {
    try {
      return await this.#settle(keptOperations, onDecided);
    } catch (cause) {
      throw new DeploymentError('COMMIT_ERROR', 'the state of the packages cannot be written', cause);
    }
  }

  async #settle(keptOperations: () => ReadonlySet<string>, onDecided: OnDecided): Promise<Settlement> {
    const { store, ledger, journal } = this.#parts;
    await store.prepare();
    const entry = await journal.find();
    if (entry === undefined) {
      const content = await ledger.load();
      await store.sweep(content, keptOperations());
      await journal.clear();
      return { ledger: content };
    }
    const { outcome, isLedgerRestored } = planRecovery(entry, await ledger.find(entry.name));
    if (isLedgerRestored) {
      await (entry.from === null ? ledger.remove(entry.name) : ledger.put(entry.from));
    }
    const content = await ledger.load();
    onDecided(entry, outcome);
    const gone = outcome === 'NEW' ? listGoneBundles(entry) : [];
    for (const symbolicName of gone) await store.removeData(symbolicName);
    await store.sweep(content, keptOperations());
    await journal.clear();
    return { ledger: content, change: { entry, outcome } };
  }
}

/** Bundles that the new version does not have any more. */
function listGoneBundles({ from, to }: JournalEntry): readonly string[] {
  const kept = new Set(to?.bundles.map(({ symbolicName }) => symbolicName));
  const former = from?.bundles.map(({ symbolicName }) => symbolicName) ?? [];
  return former.filter((symbolicName) => !kept.has(symbolicName));
}
