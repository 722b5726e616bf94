import type { Logger } from '../../../base/logger.ts';
import { DeploymentError } from '../../package/deployment-error.ts';
import type { DeploymentJournal, JournalEntry } from './deployment-journal.ts';
import type { InstalledPackage } from '../installed-package.ts';
import type { OperationQueue } from './operation-queue.ts';
import type { PackageBundles } from '../package-bundles.ts';
import type { PackageInventory } from '../package-inventory.ts';
import type { InstalledPackages, InstalledPackageStore } from '../installed-package-store.ts';
import type { PackageStore } from '../package-store.ts';
import type { ReceivedPackages } from '../source/received-packages.ts';
import { findDamage } from '../stored-files.ts';
import type { CheckedContent } from '../../../base/file/checksummed-file.ts';

/** Outcome of an interrupted change. */
interface RecoveryPlan {
  /** The version that is installed afterwards: the previous one or the new one. */
  readonly outcome: 'FORMER' | 'NEW';
  /** The previous record must first be restored, or the record removed if there was none. */
  readonly mustRestoreRecord: boolean;
}

export interface PackageRecoveryParts {
  readonly store: PackageStore;
  readonly records: InstalledPackageStore;
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

/** Completes changes in the same way after success, after failure, and at the start after a crash. */
export class PackageRecovery {
  readonly #parts: PackageRecoveryParts;
  /** The installed packages were verified and their bundles started. */
  #isStarted = false;

  constructor(parts: PackageRecoveryParts) {
    this.#parts = parts;
  }

  /**
   * Completes the change and the operations that an earlier run of the daemon left open. The first successful call also verifies
   * every installed file and starts the intact bundles.
   *
   * @throws {DeploymentError} `COMMIT_ERROR` if the disk fails; the next call retries
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
   * Completes the change in the journal, if any, removes every file that belongs to no installed package, and updates the
   * inventory. Idempotent, even after an interruption at any moment.
   *
   * @param onDecided called once the outcome of the change is decided, before the journal entry is removed
   * @throws {DeploymentError} `COMMIT_ERROR` if the disk fails; the change is then still open
   */
  async settle(onDecided: OnDecided): Promise<void> {
    try {
      this.#parts.installed.replace(await this.#settle(onDecided));
    } catch (cause) {
      throw new DeploymentError('COMMIT_ERROR', 'the state of the packages cannot be written', cause);
    }
  }

  async #settle(onDecided: OnDecided): Promise<InstalledPackages> {
    const { store, records, journal } = this.#parts;
    await store.prepare();
    const entry = await journal.find();
    const outcome = entry === undefined ? undefined : await this.#applyOutcome(entry);
    const content = await records.load();
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

  /** Writes the outcome of a change to the records, and returns it. */
  async #applyOutcome(entry: JournalEntry): Promise<RecoveryPlan['outcome']> {
    const { records } = this.#parts;
    const { outcome, mustRestoreRecord } = planRecovery(entry, await records.find(entry.name));
    if (mustRestoreRecord) {
      await (entry.from === null ? records.remove(entry.name) : records.put(entry.from));
    }
    return outcome;
  }

  /** Ids of operations and uploads whose spooled package is still needed. */
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

function listBundleNames({ packages }: InstalledPackages): ReadonlySet<string> {
  return new Set(packages.flatMap(({ bundles }) => bundles.map(({ symbolicName }) => symbolicName)));
}

/**
 * Lists the bundles that no package contains any more: those of only the previous version, or of only a new version that was
 * rolled back.
 */
function listRemovedBundles(
  { from, to }: JournalEntry,
  outcome: RecoveryPlan['outcome'],
  content: InstalledPackages,
): readonly string[] {
  const dropped = outcome === 'NEW' ? from : to;
  // A package whose record cannot be read may contain bundles of the version that was rolled back.
  if (outcome === 'FORMER' && content.damaged.length > 0) return [];
  const kept = listBundleNames(content);
  const names = dropped?.bundles.map(({ symbolicName }) => symbolicName) ?? [];
  return names.filter((symbolicName) => !kept.has(symbolicName));
}

/**
 * Decides the outcome of an interrupted change.
 *
 * The version in the record is installed. Only a failed change, or one whose record is damaged, rolls back to the previous
 * version.
 *
 * @param entry the change in the journal
 * @param current the record of the package
 */
export function planRecovery(entry: JournalEntry, current: CheckedContent<InstalledPackage>): RecoveryPlan {
  if (current.state === 'DAMAGED') return { outcome: 'FORMER', mustRestoreRecord: true };
  const directory = current.state === 'INTACT' ? current.value.directory : undefined;
  if (directory === entry.from?.directory) return { outcome: 'FORMER', mustRestoreRecord: false };
  if (entry.direction === 'BACKWARD') return { outcome: 'FORMER', mustRestoreRecord: true };
  return { outcome: 'NEW', mustRestoreRecord: false };
}
