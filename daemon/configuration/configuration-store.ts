import { isDeepStrictEqual } from 'node:util';

import { listSharedDevices } from '../asset/shared-devices.ts';
import { Conflict, InvalidRequest, NotFound, PreconditionFailed } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { ProvisionSource } from '../settings/settings-file.ts';
import { planChange } from './change-plan.ts';
import type { ChangePlan } from './change-plan.ts';
import { ConfigurationError } from './configuration-error.ts';
import { DocumentError } from '../base/document-error.ts';
import { findOversizedPart } from './document-bounds.ts';
import { describeChannel, describeDocument } from './document-schema.ts';
import type { JsonSchema } from './document-schema.ts';
import { checkDocument } from './managed-document.ts';
import type { ManagedConfiguration, ManagedDocument } from './managed-document.ts';
import { prepareProvision } from './provision-candidate.ts';
import type { ProvisionCandidate } from './provision-candidate.ts';
import { findChanged } from './provision-check.ts';
import { digestSource } from './provision-document.ts';
import type { ProvisionedIdentity } from './provision-document.ts';
import type { RequestedIdentity } from './provisioning.ts';
import { hideSecrets, keepSecrets } from './secrets.ts';
import type { Snapshot, SnapshotStore } from './snapshot-store.ts';

interface ConfigurationStoreOptions {
  readonly snapshots: SnapshotStore;
  /** Every kind of driver that there is now. */
  readonly factories: () => readonly DriverFactory[];
  /**
   * Creates an identity unless one with its name exists.
   *
   * @returns whether it was created now
   * @throws {InvalidRequest} when the identity is refused
   */
  readonly createMissingIdentity: (identity: ProvisionedIdentity) => Promise<boolean>;
  readonly logger: Logger;
}

/** The outcome of a provisioning. */
interface ProvisionOutcome {
  /** Number of the new snapshot; undefined when the configuration did not change. */
  readonly snapshotId: number | undefined;
  /** Names of the sources whose content had changed. */
  readonly mergedSources: readonly string[];
  /** Names of the identities that were created now. */
  readonly createdIdentities: readonly string[];
}

/** A change that a client asks for. */
export interface ConfigurationChange {
  /** Number of the snapshot that the client has seen; undefined: the one in force. */
  readonly basis: number | undefined;
  /** Returns the wanted document, given the one in force; it may hold markers of secrets. */
  readonly edit: (document: ManagedDocument) => unknown;
  /** Nothing changes; only the plan is wanted. */
  readonly isDryRun: boolean;
  /** The change is reverted unless it is confirmed. */
  readonly needsConfirmation: boolean;
}

/** The outcome of a change, or of its dry run. */
export interface ChangeOutcome {
  /** Number of the snapshot in force afterwards. */
  readonly snapshotId: number;
  readonly plan: ChangePlan;
  /** Whether there is a new snapshot. */
  readonly isSaved: boolean;
}

/** Holds the managed configuration in force and lets it change as a whole only. */
export class ConfigurationStore {
  readonly #options: ConfigurationStoreOptions;
  #current: ManagedConfiguration | undefined;
  // Digest of the document in force: the document would take as much memory as the configuration.
  #currentDigest: string | undefined;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(options: ConfigurationStoreOptions) {
    this.#options = options;
  }

  /**
   * Returns the configuration in force.
   *
   * @throws {Error} before the first successful `provision`
   */
  current(): ManagedConfiguration {
    if (this.#current === undefined) throw new Error('no configuration has been loaded yet');
    return this.#current;
  }

  /**
   * Loads the newest snapshot, merges every source whose content has changed, and puts the result in force.
   *
   * The result is checked as a whole before anything changes. Missing identities are created first, document and
   * digests are stored after that in one transaction: after a crash in between the next call does the rest. Calls run
   * one after the other.
   *
   * @param sources every source that there is, in order; one that is left out is forgotten, what it brought stays
   * @throws {ConfigurationError} `CONFIGURATION_INVALID` or `SNAPSHOT_INVALID`; the configuration before stays in force
   */
  async provision(sources: readonly ProvisionSource[]): Promise<ProvisionOutcome> {
    return this.#inTurn(() => this.#provision(sources));
  }

  /** Lists what is allowed and may be a mistake in the configuration in force, in words. */
  listWarnings(): readonly string[] {
    return this.#listWarnings(this.current());
  }

  /** Returns the snapshot in force as it can be shown, without its secrets; number 0 before the first. */
  show(): Snapshot {
    return this.#hide(this.#newest());
  }

  /**
   * Returns any snapshot as it can be shown, without its secrets.
   *
   * @throws {NotFound} `SNAPSHOT_UNKNOWN`
   */
  showSnapshot(id: number): Snapshot {
    return this.#hide(this.#getSnapshot(id));
  }

  /** Lists the snapshots, the newest first. */
  listSnapshots(): readonly Omit<Snapshot, 'document'>[] {
    return this.#options.snapshots.list();
  }

  /** Describes the document as JSON Schema. */
  describe(): JsonSchema {
    return describeDocument(this.#options.factories());
  }

  /**
   * Describes a channel of an asset that is in force, as JSON Schema.
   *
   * @throws {NotFound} `ASSET_UNKNOWN`
   */
  describeChannelOf(assetPid: string): JsonSchema {
    const asset = this.current().plant.assets.find(({ pid }) => pid === assetPid);
    if (asset === undefined) {
      throw new NotFound({ code: 'ASSET_UNKNOWN', detail: 'no asset has this pid' });
    }
    return this.describeChannelServedBy(asset.driver);
  }

  /**
   * Describes a channel that a driver in force serves, as JSON Schema.
   *
   * @throws {NotFound} `DRIVER_UNKNOWN`
   */
  describeChannelServedBy(driverPid: string): JsonSchema {
    const driver = this.current().plant.drivers.find(({ pid }) => pid === driverPid);
    if (driver === undefined) {
      throw new NotFound({ code: 'DRIVER_UNKNOWN', detail: 'no driver has this pid' });
    }
    return describeChannel(this.#options.factories().filter(({ type }) => type === driver.type));
  }

  /**
   * Changes the configuration as a whole, or not at all; the document is on disk when it resolves.
   *
   * @throws {PreconditionFailed} `CONFIGURATION_STALE` when another snapshot than `basis` is in force
   * @throws {Conflict} `CONFIRMATION_PENDING` while an earlier change waits for confirmation
   * @throws {DocumentError} with every fault of the document
   * @throws whatever `edit` throws
   */
  async change(change: ConfigurationChange): Promise<ChangeOutcome> {
    return this.#inTurn(() => Promise.resolve(this.#change(change)));
  }

  /**
   * Returns the document of a snapshot, secrets included, to be put in force again.
   *
   * @throws {NotFound} `SNAPSHOT_UNKNOWN`
   */
  getDocumentOf(id: number): ManagedDocument {
    return this.#getSnapshot(id).document;
  }

  /**
   * Confirms the change that waits for it: what is in force stays.
   *
   * @throws {Conflict} `CONFIRMATION_NOT_PENDING` when there is none
   */
  confirm(): void {
    const { snapshots } = this.#options;
    if (snapshots.findUnconfirmed() === undefined) {
      throw new Conflict({ code: 'CONFIRMATION_NOT_PENDING', detail: 'no change waits for confirmation' });
    }
    snapshots.confirm();
  }

  /**
   * Reverts the change that waits for confirmation.
   *
   * @returns the number of the snapshot that is in force instead; undefined when no change waits
   */
  async revertUnconfirmed(): Promise<number | undefined> {
    return this.#inTurn(() => {
      const { snapshots, factories } = this.#options;
      const unconfirmed = snapshots.findUnconfirmed();
      if (unconfirmed === undefined) return Promise.resolve(undefined);
      const { id, document } = snapshots.revertUnconfirmed(unconfirmed);
      // At start, when nothing is in force yet, `provision` checks and loads what is stored now.
      const { value } = this.#current === undefined ? {} : checkDocument(factories(), document);
      if (value !== undefined) this.#install(value, document);
      return Promise.resolve(id);
    });
  }

  /**
   * Checks what `provision` would put in force, and changes nothing.
   *
   * @throws {ConfigurationError} as `provision` does
   */
  check(sources: readonly ProvisionSource[]): void {
    const { snapshots } = this.#options;
    prepareProvision(
      this.#options.factories(),
      snapshots.findNewest(),
      findChanged(sources, snapshots.readDigests()),
    );
  }

  /** Runs after everything that was asked for earlier. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#pending.then(work);
    this.#pending = running.catch(() => undefined);
    return running;
  }

  /** An equal configuration stays the same object, so that a comparison by identity detects no change. */
  #install(configuration: ManagedConfiguration, document: ManagedDocument): void {
    const digest = digestSource(document);
    if (this.#currentDigest !== digest) this.#current = configuration;
    this.#currentDigest = digest;
  }

  #listWarnings({ plant }: ManagedConfiguration): readonly string[] {
    return listSharedDevices(this.#options.factories(), plant.drivers).map(({ warning }) => warning);
  }

  #newest(): Snapshot {
    return this.#options.snapshots.findNewest() ?? { id: 0, createdAtMs: 0, document: {} };
  }

  #getSnapshot(id: number): Snapshot {
    const snapshot = this.#options.snapshots.find(id);
    if (snapshot !== undefined) return snapshot;
    throw new NotFound({ code: 'SNAPSHOT_UNKNOWN', detail: 'there is no snapshot of this number' });
  }

  #hide({ id, createdAtMs, document }: Snapshot): Snapshot {
    return { id, createdAtMs, document: hideSecrets(this.describe(), document) };
  }

  #change({ basis, edit, isDryRun, needsConfirmation }: ConfigurationChange): ChangeOutcome {
    const { snapshots } = this.#options;
    const newest = this.#newest();
    if (basis !== undefined && basis !== newest.id) {
      throw new PreconditionFailed({
        code: 'CONFIGURATION_STALE',
        detail: 'the configuration has changed since it was read',
      });
    }
    if (!isDryRun && snapshots.findUnconfirmed() !== undefined) {
      throw new Conflict({
        code: 'CONFIRMATION_PENDING',
        detail: 'the change before this one has to be confirmed first, or will be taken back',
      });
    }
    const { configuration, document } = this.#check(edit(newest.document), newest.document);
    const warnings = this.#listWarnings(configuration);
    const plan = {
      ...planChange(this.#options.factories(), this.current(), configuration),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    if (isDryRun || isDeepStrictEqual(document, newest.document)) {
      return { snapshotId: newest.id, plan, isSaved: false };
    }
    const { id } = needsConfirmation ? snapshots.saveUnconfirmed(document) : snapshots.save(document);
    this.#install(configuration, document);
    return { snapshotId: id, plan, isSaved: true };
  }

  #check(wanted: unknown, former: ManagedDocument): Pick<ProvisionCandidate, 'configuration' | 'document'> {
    const oversized = findOversizedPart(wanted);
    if (oversized !== undefined) throw new DocumentError([oversized]);
    const { document, faults } = keepSecrets(this.describe(), wanted, former);
    const checked = checkDocument(this.#options.factories(), document);
    const all = [...faults, ...(checked.faults ?? [])];
    if (checked.value === undefined || all.length > 0) throw new DocumentError(all);
    return { configuration: checked.value, document: document as ManagedDocument };
  }

  async #provision(sources: readonly ProvisionSource[]): Promise<ProvisionOutcome> {
    const { snapshots, factories, logger } = this.#options;
    const snapshot = snapshots.findNewest();
    const known = snapshots.readDigests();
    const changed = findChanged(sources, known);
    const { configuration, document, identities } = prepareProvision(factories(), snapshot, changed);
    const createdIdentities = await this.#createIdentities(identities);
    const digests = new Map(sources.map(({ name, value }) => [name, digestSource(value)]));
    const isChanged = !isDeepStrictEqual(document, snapshot?.document ?? {});
    const saved =
      isChanged || !isDeepStrictEqual(known, digests)
        ? snapshots.saveProvision({ document: isChanged ? document : undefined, digests })
        : undefined;
    this.#install(configuration, document);
    const outcome = {
      snapshotId: saved?.id,
      mergedSources: changed.map(({ name }) => name),
      createdIdentities,
    };
    if (changed.length > 0) logger.info('configuration.provisioned', outcome);
    return outcome;
  }

  async #createIdentities(identities: readonly RequestedIdentity[]): Promise<readonly string[]> {
    const created: string[] = [];
    for (const { identity, locate } of identities) {
      try {
        if (await this.#options.createMissingIdentity(identity)) created.push(identity.name);
      } catch (error) {
        if (!(error instanceof InvalidRequest)) throw error;
        throw new ConfigurationError('CONFIGURATION_INVALID', [locate({ path: [], message: error.detail })]);
      }
    }
    return created;
  }
}
