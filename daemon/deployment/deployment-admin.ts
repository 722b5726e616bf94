import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';

import type { Clock } from '../base/clock.ts';
import type { Startable } from '../base/lifecycle.ts';
import type { Logger } from '../base/logger.ts';
import type { Store } from '../base/store.ts';
import type { BundleControl, BundleState } from '../bundle/bundle.ts';
import { DeploymentError, DeploymentNotFound } from '../package/deployment-error.ts';
import { DeploymentJournal } from './deployment-journal.ts';
import type { JournalEntry } from './deployment-journal.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import type { InstalledPackage } from './installed-package.ts';
import { PackageInventory } from './package-inventory.ts';
import type { Operation, Requester } from './operation.ts';
import { OperationQueue } from './operation-queue.ts';
import type { RequestedOperation } from './operation-queue.ts';
import { OperationStore } from './operation-store.ts';
import { PackageBundles } from './package-bundles.ts';
import { PackageLedger } from './package-ledger.ts';
import { PackageOperations } from './package-operations.ts';
import { PackageRecovery } from './package-recovery.ts';
import { PackageStore } from './package-store.ts';
import { parsePackageUrl } from './package-url.ts';
import { writeSpoolFile } from './spool-file.ts';
import { findDamage } from './stored-files.ts';

export interface DeploymentAdminOptions {
  /** Directory below which everything about packages is kept. */
  readonly directory: string;
  readonly store: Store;
  readonly control: BundleControl;
  readonly settings: () => DeploymentSettings;
  /** Hears of each operation once, when it has ended. */
  readonly onFinished: (operation: Operation) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A package as it is listed. */
export interface ListedPackage {
  readonly name: string;
  readonly version: string;
  readonly bundles: readonly {
    readonly name: string;
    readonly version: string;
    readonly state: BundleState;
  }[];
}

/** A package that was sent and is kept. */
export interface ReceivedPackage {
  readonly id: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** What became of a request: a new operation, or the one that does the same already. */
export interface AcceptedOperation {
  readonly operation: Operation;
  readonly isNew: boolean;
}

/** Installs and uninstalls deployment packages (OSGi Compendium, 114), and runs the bundles of those that are installed. */
export class DeploymentAdmin implements Startable {
  readonly #options: DeploymentAdminOptions;
  readonly #store: PackageStore;
  readonly #installed = new PackageInventory();
  readonly #bundles: PackageBundles;
  readonly #queue: OperationQueue;
  readonly #operations: PackageOperations;
  /** What is installed was verified, and its bundles were started. */
  #isTakenUp = false;
  // Packages that are being sent: no operations yet, but their files are not left over either.
  readonly #receiving = new Set<string>();

  constructor(options: DeploymentAdminOptions) {
    const { directory, control, settings, onFinished, clock, logger } = options;
    this.#options = options;
    const store = new PackageStore(directory);
    const ledger = new PackageLedger(store.ledgerDirectory);
    const journal = new DeploymentJournal(store.journalFile);
    const isDamaged = this.#installed.isDamaged.bind(this.#installed);
    const bundles = new PackageBundles({ store, control, isDamaged, clock, logger });
    this.#store = store;
    this.#bundles = bundles;
    this.#queue = new OperationQueue({
      operations: new OperationStore(options.store),
      run: (operation, progress, signal) => this.#operations.run(operation, progress, signal),
      onFinished,
      clock,
      logger,
    });
    this.#operations = new PackageOperations({
      store,
      ledger,
      journal,
      bundles,
      recovery: new PackageRecovery({ store, ledger, journal }),
      installed: this.#installed,
      settings,
      recover: () => this.#recover(),
      keptOperations: () => new Set([...this.#receiving, ...this.#queue.listKept()]),
      clock,
      logger,
    });
  }

  /**
   * Ends what an earlier run left open, compares every installed file with what was installed, and starts the bundles that
   * are intact. A medium that fails does not keep the daemon from starting: the next operation tries again.
   */
  async start(): Promise<void> {
    this.#queue.load();
    try {
      await this.#recover();
    } catch (error) {
      this.#options.logger.error('deployment.recoveryFailed', { error });
    }
    this.#queue.resume();
  }

  /** Gives up what can be given up, ends what cannot, and stops every bundle. */
  async stop(): Promise<void> {
    await this.#queue.stop();
    await Promise.all(this.#installed.list().map((record) => this.#bundles.stop(record)));
  }

  /** Every installed package, in the order of installation. */
  list(): readonly ListedPackage[] {
    return this.#installed.list().map((record) => ({
      name: record.name,
      version: record.version,
      bundles: record.bundles.map((bundle) => ({
        name: bundle.symbolicName,
        version: bundle.version,
        state: this.#bundles.stateOf(record, bundle),
      })),
    }));
  }

  /** Whether a bundle of this symbolic name belongs to an installed package. */
  hasBundle(symbolicName: string): boolean {
    return this.#installed
      .list()
      .some(({ bundles }) => bundles.some((bundle) => bundle.symbolicName === symbolicName));
  }

  /** Operations that wait, run, or ended not long ago, the newest first. */
  operations(): readonly Operation[] {
    return this.#queue.list();
  }

  /** @throws {DeploymentNotFound} `OPERATION_UNKNOWN` */
  getOperation(id: string): Operation {
    const operation = this.#queue.find(id);
    if (operation !== undefined) return operation;
    throw new DeploymentNotFound({ code: 'OPERATION_UNKNOWN', detail: 'there is no such operation' });
  }

  /**
   * Asks for the installation of a package from where it is.
   *
   * @throws {SourceRefused} for a URL that no package can come from
   * @throws {DeploymentBusy} when too many operations wait
   */
  install(url: string, requester: Requester): AcceptedOperation {
    return this.#accept({ operation: 'INSTALL', url: parsePackageUrl(url).href, requester });
  }

  /**
   * Keeps a package that is being sent; it is on the medium when this resolves.
   *
   * @param chunks the package
   * @throws {PackageTooLarge} as soon as more came in than is taken
   */
  async receive(chunks: AsyncIterable<Uint8Array>): Promise<ReceivedPackage> {
    const id = randomUUID();
    const { maximumPackageBytes } = this.#options.settings();
    this.#receiving.add(id);
    try {
      const { sha256 } = await writeSpoolFile(chunks, this.#store.spoolFile(id), maximumPackageBytes);
      return { id, sha256 };
    } catch (error) {
      this.#receiving.delete(id);
      throw error;
    }
  }

  /** Forgets a package that was sent, when it is not to be installed after all. */
  async discard({ id }: ReceivedPackage): Promise<void> {
    await rm(this.#store.spoolFile(id), { force: true });
    this.#receiving.delete(id);
  }

  /**
   * Asks for the installation of a package that was sent; it is forgotten when this rejects.
   *
   * @throws {DeploymentBusy} when too many operations wait
   */
  async installReceived(received: ReceivedPackage, requester: Requester): Promise<AcceptedOperation> {
    const { id, sha256 } = received;
    try {
      const accepted = this.#accept({ id, operation: 'INSTALL', sentSha256: sha256, requester });
      if (accepted.isNew) this.#receiving.delete(id);
      else await this.discard(received);
      return accepted;
    } catch (error) {
      await this.discard(received);
      throw error;
    }
  }

  /**
   * Asks for the removal of a package.
   *
   * @throws {DeploymentNotFound} `PACKAGE_UNKNOWN` when it is not installed
   * @throws {DeploymentBusy} when too many operations wait
   */
  uninstall(name: string, requester: Requester): AcceptedOperation {
    const requested = { operation: 'UNINSTALL', name, requester } as const;
    const isKnown = this.#installed.list().some((record) => record.name === name);
    if (!isKnown && this.#queue.findPending(requested) === undefined) {
      throw new DeploymentNotFound({ code: 'PACKAGE_UNKNOWN', detail: 'there is no package of this name' });
    }
    return this.#accept(requested);
  }

  #accept(requested: RequestedOperation): AcceptedOperation {
    const pending = this.#queue.findPending(requested);
    if (pending !== undefined) return { operation: pending, isNew: false };
    return { operation: this.#queue.add(requested), isNew: true };
  }

  async #verify(record: InstalledPackage): Promise<void> {
    const damage = await findDamage(this.#store.contentDirectory(record), record.files);
    if (damage.length === 0) return;
    this.#installed.noteDamage(record, damage);
    const { name, version } = record;
    this.#options.logger.error('package.damaged', { package: name, version, files: damage.slice(0, 10) });
  }

  async #recover(): Promise<void> {
    await this.#operations.settle((entry, outcome) => this.#onRecovered(entry, outcome));
    if (this.#isTakenUp) return;
    this.#isTakenUp = true;
    this.#queue.concludeInterrupted();
    for (const name of this.#installed.listUnreadable()) {
      this.#options.logger.error('package.recordDamaged', { package: name });
    }
    for (const record of this.#installed.list()) {
      await this.#verify(record);
      this.#bundles.startInBackground(record);
    }
  }

  #onRecovered({ operationId, name }: JournalEntry, outcome: 'FORMER' | 'NEW'): void {
    this.#options.logger.warn('deployment.recovered', { operationId, package: name, outcome });
    const interrupted = new DeploymentError('CANCELLED', 'the gateway ended in between; nothing was changed');
    this.#queue.conclude(operationId, outcome === 'NEW' ? undefined : interrupted);
  }
}
