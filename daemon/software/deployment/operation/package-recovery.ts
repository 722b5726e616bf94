import type { Logger } from '../../../base/logger.ts';
import { DeploymentError } from '../../package/deployment-error.ts';
import type { DeploymentJournal, JournalEntry } from './deployment-journal.ts';
import type { InstalledPackage } from '../installed-package.ts';
import type { OperationQueue } from './operation-queue.ts';
import type { PackageBundles } from '../package-bundles.ts';
import type { PackageInventory } from '../package-inventory.ts';
import type { LedgerContent, PackageLedger } from '../package-ledger.ts';
import type { PackageStore } from '../package-store.ts';
import type { ReceivedPackages } from '../source/received-packages.ts';
import { findDamage } from '../stored-files.ts';
import type { CheckedContent } from '../../../base/file/checksummed-file.ts';

/** Outcome of an interrupted change. */
interface RecoveryPlan {
  /** The version that is installed afterwards: the previous one or the new one. */
  readonly outcome: 'FORMER' | 'NEW';
  /** The ledger must first be restored to the previous record, or to none. */
  readonly isLedgerRestored: boolean;
}

export interface PackageRecoveryParts {
  readonly store: PackageStore;
  readonly ledger: PackageLedger;
  readonly journal: DeploymentJournal;
  readonly bundles: PackageBundles;
  readonly installed: PackageInventory;
  readonly received: ReceivedPackages;
  readonly queue: Pick<OperationQueue, 'conclude' | 'concludeInterrupted' | 'listKept'>;
  readonly logger: Logger;
}

/** Called with the outcome of a change, once it is decided. */
type OnDecided = (entry: JournalEntry, outcome: RecoveryPlan['outcome']) => void;

const MAXIMUM_LOGGED_FILES = 10;

/** Ends changes: the same way after success, after failure, and at the start after a crash. */
export class PackageRecovery {
  readonly #parts: PackageRecoveryParts;
  /** The installed packages were verified and their bundles started. */
  #isStarted = false;

  constructor(parts: PackageRecoveryParts) {
    this.#parts = parts;
  }

  /**
   * Ends the change and the operations that an earlier run of the daemon left open. The first call that succeeds also compares
   * every installed file with what was installed, and starts the bundles that are intact.
   *
   * @throws {DeploymentError} `COMMIT_ERROR` when the disk does not allow it; another call tries again
   */
  async recover(): Promise<void> {
    const { queue, installed, bundles, logger } = this.#parts;
    await this.settle((entry, outcome) => this.#onRecovered(entry, outcome));
    if (this.#isStarted) return;
    this.#isStarted = true;
    queue.concludeInterrupted();
    for (const name of installed.listUnreadable()) logger.error('package.recordDamaged', { package: name });
    for (const record of installed.list()) {
      await this.#verify(record);
      bundles.startInBackground(record);
    }
  }

  /**
   * Ends the change that the journal names, if any, removes every file that belongs to no installed package, and updates the
   * inventory. A call that was cut off at any moment and is repeated comes to the same result.
   *
   * @param onDecided called once the outcome of the change is decided, before the journal forgets the change
   * @throws {DeploymentError} `COMMIT_ERROR` when the disk does not allow it; the change is still open then
   */
  async settle(onDecided: OnDecided): Promise<void> {
    try {
      this.#parts.installed.replace(await this.#settle(onDecided));
    } catch (cause) {
      throw new DeploymentError('COMMIT_ERROR', 'the state of the packages cannot be written', cause);
    }
  }

  async #settle(onDecided: OnDecided): Promise<LedgerContent> {
    const { store, ledger, journal } = this.#parts;
    await store.prepare();
    const entry = await journal.find();
    const outcome = entry === undefined ? undefined : await this.#applyOutcome(entry);
    const content = await ledger.load();
    if (entry !== undefined && outcome !== undefined) {
      onDecided(entry, outcome);
      for (const symbolicName of listRemovedBundles(entry, outcome, content)) {
        await store.removeData(symbolicName, entry.operationId);
      }
    }
    await store.retryLeftovers(listBundleNames(content));
    await store.sweep(content, this.#listKeptIds());
    await journal.clear();
    return content;
  }

  /** Makes the ledger name the outcome of a change, and returns that outcome. */
  async #applyOutcome(entry: JournalEntry): Promise<RecoveryPlan['outcome']> {
    const { ledger } = this.#parts;
    const { outcome, isLedgerRestored } = planRecovery(entry, await ledger.find(entry.name));
    if (isLedgerRestored) {
      await (entry.from === null ? ledger.remove(entry.name) : ledger.put(entry.from));
    }
    return outcome;
  }

  /** Ids of operations, and of uploads that are to become some, whose spooled package is still needed. */
  #listKeptIds(): ReadonlySet<string> {
    const { received, queue } = this.#parts;
    return new Set([...received.listIds(), ...queue.listKept()]);
  }

  async #verify(record: InstalledPackage): Promise<void> {
    const { store, installed, logger } = this.#parts;
    const { name, version } = record;
    const damage = await findDamage(store.contentDirectory(record), record.files);
    if (damage.length === 0) return;
    installed.recordDamage(record, damage);
    const files = damage.slice(0, MAXIMUM_LOGGED_FILES);
    logger.error('package.damaged', { package: name, version, files });
  }

  #onRecovered({ operationId, name }: JournalEntry, outcome: RecoveryPlan['outcome']): void {
    const { queue, logger } = this.#parts;
    logger.warn('deployment.recovered', { operationId, package: name, outcome });
    const interrupted = new DeploymentError(
      'CANCELLED',
      'the gateway stopped during the operation; nothing was changed',
    );
    queue.conclude(operationId, outcome === 'NEW' ? undefined : interrupted);
  }
}

function listBundleNames({ packages }: LedgerContent): ReadonlySet<string> {
  return new Set(packages.flatMap(({ bundles }) => bundles.map(({ symbolicName }) => symbolicName)));
}

/**
 * Lists the bundles that no package has any more: those that only the previous version had, or only a new version that was
 * given up.
 */
function listRemovedBundles(
  { from, to }: JournalEntry,
  outcome: RecoveryPlan['outcome'],
  content: LedgerContent,
): readonly string[] {
  const dropped = outcome === 'NEW' ? from : to;
  // A package whose record cannot be read may have bundles of the version that was given up.
  if (outcome === 'FORMER' && content.damaged.length > 0) return [];
  const kept = listBundleNames(content);
  const names = dropped?.bundles.map(({ symbolicName }) => symbolicName) ?? [];
  return names.filter((symbolicName) => !kept.has(symbolicName));
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
