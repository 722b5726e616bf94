import type { Clock } from '../../base/clock.ts';
import type { Startable } from '../../base/lifecycle.ts';
import type { Logger } from '../../base/logger.ts';
import { systemRandom } from '../../base/random.ts';
import type { RandomSource } from '../../base/random.ts';
import type { Store } from '../../base/store/store.ts';
import type { BundleControl } from '../bundle/bundle.ts';
import type { BundleState } from '../../interface/software/bundle.ts';
import { Conflict } from '../../base/errors.ts';
import type { StoredBundle } from '../package/archive/stored-entry.ts';
import type { InstalledPackage } from './installed-package.ts';
import { DeploymentNotFound } from '../package/deployment-error.ts';
import { toGrants } from './bundle-grants.ts';
import type { BundleGrants } from './bundle-grants.ts';
import { DeploymentJournal } from './operation/deployment-journal.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { PackageInventory } from './package-inventory.ts';
import type { AcceptedRequest, Operation, Requester } from './operation/operation.ts';
import { OperationQueue } from './operation/operation-queue.ts';
import type { RequestedOperation } from './operation/operation-queue.ts';
import { OperationStore } from './operation/operation-store.ts';
import { PackageBundles } from './package-bundles.ts';
import { InstalledPackageStore } from './installed-package-store.ts';
import { PackageOperations } from './package-operations.ts';
import { PackageStore } from './package-store.ts';
import type { PackageTrash } from './package-trash.ts';
import { parsePackageUrl } from './source/package-url.ts';
import { ReceivedPackages } from './source/received-packages.ts';
import type { ReceivedPackage } from './source/received-packages.ts';

interface DeploymentAdminOptions {
  /** Directory of all files of packages. */
  readonly directory: string;
  readonly store: Store;
  readonly control: BundleControl;
  readonly settings: () => DeploymentSettings;
  /** Called once for each operation, when it has finished. */
  readonly onFinished: (operation: Operation) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: the random source of the operating system. */
  readonly random?: RandomSource;
}

/** Installed package in lists. */
export interface ListedPackage {
  readonly name: string;
  readonly version: string;
  readonly bundles: readonly {
    readonly name: string;
    readonly version: string;
    readonly state: BundleState;
  }[];
}

/** Bundle of an installed package in lists. */
export interface ListedBundle {
  /** Name of the package. */
  readonly package: string;
  readonly name: string;
  readonly version: string;
  readonly state: BundleState;
  readonly grants: BundleGrants;
  /** True if its package describes settings. */
  readonly hasSettings: boolean;
  /** True if a trusted signer has signed its package. */
  readonly isSigned: boolean;
}

/** A bundle by name; without a version the first one. */
interface WantedBundle {
  readonly name: string;
  readonly version?: string | undefined;
}

/** Response to a request: a new operation, or the pending one that does the same. */
export interface AcceptedOperation {
  readonly operation: AcceptedRequest;
  readonly isNew: boolean;
}

/** Installs and uninstalls deployment packages (OSGi Compendium, 114), and runs the bundles of those that are installed. */
export class DeploymentAdmin implements Startable {
  readonly #logger: Logger;
  readonly #installed = new PackageInventory();
  readonly #trash: PackageTrash;
  readonly #received: ReceivedPackages;
  readonly #bundles: PackageBundles;
  readonly #queue: OperationQueue;
  readonly #operations: PackageOperations;
  readonly #store: OperationStore;

  constructor(options: DeploymentAdminOptions) {
    const { directory, store, control, settings, onFinished, clock, logger } = options;
    const { random = systemRandom } = options;
    const packages = new PackageStore(directory, {
      onLeftover: (id, leftover) => this.#queue.recordLeftover(id, leftover),
      removeStoredData: (name) => control.removeData(name),
      clock,
      logger,
    });
    const installed = this.#installed;
    const isDamaged = installed.isDamaged.bind(installed);
    const operations = new OperationStore(store);
    this.#store = operations;
    this.#logger = logger;
    this.#trash = packages.trash;
    this.#received = new ReceivedPackages(packages, settings, random);
    this.#bundles = new PackageBundles({ store: packages, control, isDamaged, clock, logger });
    this.#queue = new OperationQueue({
      operations,
      onFinished(operation) {
        onFinished(operation);
        packages.trash.empty();
      },
      clock,
      logger,
      random,
    });
    this.#operations = new PackageOperations({
      store: packages,
      records: new InstalledPackageStore(packages.recordDirectory),
      journal: new DeploymentJournal(packages.journalFile),
      bundles: this.#bundles,
      installed,
      received: this.#received,
      queue: this.#queue,
      settings,
      clock,
      logger,
    });
  }

  /**
   * Completes operations of an earlier run, verifies every installed file, and starts the intact bundles. The daemon starts even if
   * the disk fails: the next operation retries.
   */
  async start(): Promise<void> {
    this.#queue.load();
    try {
      await this.#operations.recover();
    } catch (error) {
      this.#logger.error('deployment.recoveryFailed', { error });
    }
    this.#trash.empty();
    this.#queue.start((operation, progress, signal) => this.#operations.run(operation, progress, signal));
  }

  /** Cancels the running operation if still possible, otherwise waits for it, and stops every bundle. */
  async stop(): Promise<void> {
    await this.#queue.stop();
    await this.#trash.stop();
    await Promise.all(this.#installed.list().map((record) => this.#bundles.stop(record)));
  }

  /** Lists the installed packages in the order of installation. */
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

  /** Lists the bundles of the installed packages. */
  listBundles(): readonly ListedBundle[] {
    return this.#installed.list().flatMap((record) =>
      record.bundles.map((bundle) => ({
        package: record.name,
        name: bundle.symbolicName,
        version: bundle.version,
        state: this.#bundles.stateOf(record, bundle),
        grants: toGrants(bundle),
        hasSettings: bundle.settings !== undefined,
        isSigned: record.signer !== undefined,
      })),
    );
  }

  /**
   * Starts a bundle without waiting; no effect while it runs.
   *
   * @throws {DeploymentNotFound} `BUNDLE_UNKNOWN`
   * @throws {Conflict} `BUNDLE_WITHOUT_PROGRAM` if it has no program, or its files are damaged
   */
  startBundle(wanted: WantedBundle): void {
    const { record, bundle } = this.#getBundle(wanted);
    if (this.#bundles.startOne(record, bundle)) return;
    const detail = `the bundle ${bundle.symbolicName} has no program, or its files are damaged`;
    throw new Conflict({ code: 'BUNDLE_WITHOUT_PROGRAM', detail });
  }

  /**
   * Stops a bundle; no effect while it does not run. The next start of the gateway starts it again.
   *
   * @throws {DeploymentNotFound} `BUNDLE_UNKNOWN`
   */
  async stopBundle(wanted: WantedBundle): Promise<void> {
    await this.#bundles.stopOne(this.#getBundle(wanted).bundle);
  }

  #getBundle({ name, version }: WantedBundle): { record: InstalledPackage; bundle: StoredBundle } {
    for (const record of this.#installed.list()) {
      const bundle = record.bundles.find(
        (each) => each.symbolicName === name && (version === undefined || each.version === version),
      );
      if (bundle !== undefined) return { record, bundle };
    }
    throw new DeploymentNotFound({ code: 'BUNDLE_UNKNOWN', detail: 'no bundle of this name is installed' });
  }

  /** Returns true if a bundle of this symbolic name belongs to an installed package. */
  hasBundle(symbolicName: string): boolean {
    return this.#installed
      .list()
      .some(({ bundles }) => bundles.some((bundle) => bundle.symbolicName === symbolicName));
  }

  /** Lists queued, running and recently finished operations, newest first. */
  operations(): readonly Operation[] {
    return this.#queue.list();
  }

  /** See `OperationStore.findRequested`. */
  findRequested(requester: Requester): AcceptedRequest | undefined {
    return this.#store.findRequested(requester);
  }

  /** @throws {DeploymentNotFound} `OPERATION_UNKNOWN` */
  getOperation(id: string): Operation {
    const operation = this.#queue.find(id);
    if (operation !== undefined) return operation;
    throw new DeploymentNotFound({ code: 'OPERATION_UNKNOWN', detail: 'no operation has this id' });
  }

  /**
   * Requests the installation of a package from a URL.
   *
   * @throws {SourceRefused} for a URL from which no package can be installed
   * @throws {DeploymentBusy} if too many operations are queued
   */
  install(url: string, requester: Requester): AcceptedOperation {
    return this.#accept({ operation: 'INSTALL', url: parsePackageUrl(url).href, requester });
  }

  /**
   * Stores a package that a client sends; the file is synced when this resolves.
   *
   * @throws {PackageTooLarge} as soon as more bytes arrive than the settings allow
   */
  receive(chunks: AsyncIterable<Uint8Array>): Promise<ReceivedPackage> {
    return this.#received.receive(chunks);
  }

  /** Removes a received package that will not be installed. */
  async discard(received: ReceivedPackage): Promise<void> {
    await this.#received.discard(received);
  }

  /**
   * Requests the installation of a received package; its file is removed if this rejects.
   *
   * @throws {DeploymentBusy} if too many operations are queued
   */
  async installReceived(received: ReceivedPackage, requester: Requester): Promise<AcceptedOperation> {
    const { id, sha256 } = received;
    try {
      const accepted = this.#accept({ id, operation: 'INSTALL', sentSha256: sha256, requester });
      if (accepted.isNew) this.#received.handOver(received);
      else await this.discard(received);
      return accepted;
    } catch (error) {
      await this.discard(received);
      throw error;
    }
  }

  /**
   * Requests the removal of a package.
   *
   * @throws {DeploymentNotFound} `PACKAGE_UNKNOWN` when it is not installed
   * @throws {DeploymentBusy} if too many operations are queued
   */
  uninstall(name: string, requester: Requester): AcceptedOperation {
    const requested = { operation: 'UNINSTALL', name, requester } as const;
    const isKnown = this.#installed.list().some((record) => record.name === name);
    if (!isKnown && this.#queue.findPending(requested) === undefined) {
      throw new DeploymentNotFound({
        code: 'PACKAGE_UNKNOWN',
        detail: 'no package of this name is installed',
      });
    }
    return this.#accept(requested);
  }

  #accept(requested: RequestedOperation): AcceptedOperation {
    const pending = this.#queue.findPending(requested);
    if (pending !== undefined) return { operation: pending, isNew: false };
    return { operation: this.#queue.add(requested), isNew: true };
  }
}
