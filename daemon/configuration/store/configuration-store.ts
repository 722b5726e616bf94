import { isDeepStrictEqual } from 'node:util';

import { Conflict, NotFound, PreconditionFailed } from '../../base/errors.ts';
import type { ProvisionSource } from '../../settings/settings-file.ts';
import { addWarnings, listTemplateChanges, listTemplateWarnings, planChange } from '../change-plan.ts';
import { ActiveConfiguration } from '../active-configuration.ts';
import type { ConfigurationStoreOptions, ProvisionOutcome } from '../provision/provisioner.ts';
import { runInSlices } from '../../base/slices.ts';
import type { Finding } from '../../interface/finding.ts';
import { listConfigurationWarnings } from '../configuration-warnings.ts';
import { describeChannel, describeDocument } from '../document-schema.ts';
import type { JsonSchema } from '../document-schema.ts';
import { loadTemplatesOf } from '../asset-templates.ts';
import type { TemplateContents, TemplateSet } from '../asset-templates.ts';
import { checkTemplated } from '../expand-assets.ts';
import type { ManagedConfiguration, ManagedDocument } from '../managed-document.ts';
import { requirePendingChange } from '../pending-change.ts';
import type { ChangeOutcome, ConfigurationChange } from './configuration-change.ts';
import { checkWanted } from './wanted-document.ts';
import { Provisioner } from '../provision/provisioner.ts';
import { NO_CHANGES, recordChanges } from './recorded-changes.ts';
import { hideSecretsInSlices } from './secrets.ts';
import type { Snapshot, SnapshotHead, UnconfirmedChange } from './snapshot-store.ts';
import { refuseTokenTrustChange } from '../token-trust.ts';

/** Before the first snapshot. */
const NOTHING: Snapshot = { id: 0, createdAtMs: 0, document: {}, templates: {} };

/** Stores the active managed configuration; changes it only as a whole. */
export class ConfigurationStore {
  readonly #options: ConfigurationStoreOptions;
  readonly #provisioner: Provisioner;
  readonly #active: ActiveConfiguration;
  #pending: Promise<unknown> = Promise.resolve();
  // Templates of documents to be reactivated, whose files may be missing by now.
  readonly #earlierTemplates = new WeakMap<WeakKey, TemplateContents>();

  constructor(options: ConfigurationStoreOptions) {
    this.#options = options;
    this.#active = new ActiveConfiguration(options);
    this.#provisioner = new Provisioner({
      ...options,
      loadTemplates: (...parameters) => this.#loadTemplates(...parameters),
      findKnown: (newest) => this.#active.findKnown(newest),
    });
  }

  /**
   * Returns the active configuration.
   *
   * @throws {Error} before the first successful `provision`
   */
  current(): ManagedConfiguration {
    const { configuration } = this.#active;
    if (configuration === undefined) throw new Error('no configuration has been loaded yet');
    return configuration;
  }

  /**
   * Loads the newest snapshot, merges every changed source and activates the result.
   *
   * The result is checked as a whole before anything changes. Missing identities are created first, document and
   * digests are stored after that in one transaction: after a crash in between, the next call completes it. Calls are
   * serialized.
   *
   * @param sources every source that there is, in order; one that is left out is forgotten, what it brought stays
   * @throws {ConfigurationError} `CONFIGURATION_INVALID` or `SNAPSHOT_INVALID`; the configuration before stays in force
   */
  async provision(sources: readonly ProvisionSource[]): Promise<ProvisionOutcome> {
    return this.#inTurn(async () => {
      const { configuration, outcome } = await this.#provisioner.run(sources, this.#active.findChecked());
      this.#active.install(configuration);
      return outcome;
    });
  }

  /** Lists possible mistakes in the active configuration, in words. */
  listWarnings(): readonly string[] {
    return this.#listWarnings(this.current()).map(({ message }) => message);
  }

  /**
   * Returns the active snapshot without its secrets; number 0 before the first.
   *
   * @param pick returns the part of the document that is wanted, as a document of its own; absent: the whole
   * @throws whatever `pick` throws
   */
  async show(pick: (document: ManagedDocument) => ManagedDocument = (whole) => whole): Promise<Snapshot> {
    const newest = await this.#newest();
    return this.#hide({ ...newest, document: pick(newest.document) });
  }

  /**
   * Returns any snapshot without its secrets.
   *
   * @throws {NotFound} `SNAPSHOT_UNKNOWN`
   */
  async showSnapshot(id: number): Promise<Snapshot> {
    return this.#hide(await this.#getSnapshot(id));
  }

  /** Lists the snapshots, the newest first. */
  listSnapshots(): readonly SnapshotHead[] {
    return this.#options.snapshots.list();
  }

  /** Describes the document as JSON Schema. */
  describe(): JsonSchema {
    return describeDocument(this.#options.factories(), this.#options.bundles?.());
  }

  /**
   * Describes a channel of an active asset as JSON Schema.
   *
   * @throws {NotFound} `ASSET_UNKNOWN`
   */
  describeChannelOf(assetPid: string): JsonSchema {
    const asset = this.current().plant.assets.find(({ pid }) => pid === assetPid);
    if (asset === undefined) {
      throw new NotFound({ code: 'ASSET_UNKNOWN', detail: `unknown asset "${assetPid}"` });
    }
    return this.describeChannelServedBy(asset.driver);
  }

  /**
   * Describes a channel of an active driver as JSON Schema.
   *
   * @throws {NotFound} `DRIVER_UNKNOWN`
   */
  describeChannelServedBy(driverPid: string): JsonSchema {
    const driver = this.current().plant.drivers.find(({ pid }) => pid === driverPid);
    if (driver === undefined) {
      throw new NotFound({ code: 'DRIVER_UNKNOWN', detail: `unknown driver "${driverPid}"` });
    }
    return describeChannel(this.#options.factories().filter(({ type }) => type === driver.type));
  }

  /**
   * Changes the configuration as a whole, or not at all; the document is on disk when it resolves. Templates that have changed
   * since the last change come into force with it.
   *
   * @throws {PreconditionFailed} `CONFIGURATION_STALE` when another snapshot than `basis` is in force
   * @throws {Conflict} `CONFIRMATION_PENDING` while an earlier change waits for confirmation
   * @throws {NotPermitted} `PERMISSION_MISSING` for a change of the sections about tokens that is not allowed to do so
   * @throws {DocumentError} with every fault of the document
   * @throws whatever `edit` throws
   */
  async change(change: ConfigurationChange): Promise<ChangeOutcome> {
    return this.#inTurn(() => this.#change(change));
  }

  /**
   * Returns the document of a snapshot, secrets included, for reactivation.
   *
   * @throws {NotFound} `SNAPSHOT_UNKNOWN`
   */
  async getDocumentOf(id: number): Promise<ManagedDocument> {
    const { document, templates } = await this.#getSnapshot(id);
    // One of its own: the store gives the same document to others.
    const own = { ...document };
    this.#earlierTemplates.set(own, templates);
    return own;
  }

  /** Finds the pending change with its author. */
  findUnconfirmed(): (UnconfirmedChange & Pick<SnapshotHead, 'author'>) | undefined {
    const { snapshots } = this.#options;
    const unconfirmed = snapshots.findUnconfirmed();
    if (unconfirmed === undefined) return undefined;
    return { ...unconfirmed, author: snapshots.findHead(unconfirmed.snapshotId)?.author };
  }

  /**
   * Refuses to confirm or revert the pending change if it affects trusted token issuers.
   *
   * @param expectedSnapshotId number of its snapshot; undefined: any
   * @returns the number of its snapshot, the only one that may be confirmed or reverted now
   * @throws {NotPermitted} as `change` does
   * @throws {Conflict} as `requirePendingChange` does
   */
  async refuseUnconfirmedTokenTrust(expectedSnapshotId: number | undefined): Promise<number> {
    const unconfirmed = requirePendingChange(this.#options.snapshots.findUnconfirmed(), expectedSnapshotId);
    const confirmed = await this.#load(unconfirmed.revertTo);
    const pending = await this.#load(unconfirmed.snapshotId);
    refuseTokenTrustChange(confirmed?.document, pending?.document);
    return unconfirmed.snapshotId;
  }

  /**
   * Confirms the pending change.
   *
   * @param expectedSnapshotId number of its snapshot; undefined: any
   * @throws {Conflict} as `requirePendingChange` does
   */
  confirm(expectedSnapshotId?: number): void {
    const { snapshots } = this.#options;
    requirePendingChange(snapshots.findUnconfirmed(), expectedSnapshotId);
    snapshots.confirm();
  }

  /**
   * Reverts the pending change.
   *
   * @param expectedSnapshotId number of its snapshot; undefined: any
   * @returns the snapshot that is active instead, and its changes; undefined if no such change is pending
   */
  async revertUnconfirmed(
    expectedSnapshotId?: number,
  ): Promise<Pick<ChangeOutcome, 'changes' | 'snapshotId'> | undefined> {
    return this.#inTurn(async () => {
      const { snapshots, factories, bundles, clock } = this.#options;
      const unconfirmed = snapshots.findUnconfirmed();
      if (unconfirmed === undefined) return undefined;
      // Another change may be pending by now.
      if (expectedSnapshotId !== undefined && unconfirmed.snapshotId !== expectedSnapshotId) return undefined;
      const { document: refused } = await this.#newest();
      const { document, templates: kept } = (await this.#load(unconfirmed.revertTo)) ?? NOTHING;
      const changes = await runInSlices(recordChanges(this.describe(), refused, document), clock);
      await runInSlices(snapshots.prepare(document, kept), clock);
      // It may have been confirmed in the meantime.
      if (snapshots.findUnconfirmed() === undefined) return undefined;
      const { id } = snapshots.revertUnconfirmed({ document, templates: kept });
      const reversion = { snapshotId: id, changes };
      // At start, when nothing is in force yet, `provision` checks and loads what is stored now.
      if (this.#active.configuration === undefined) return reversion;
      const templates = await this.#loadTemplates(document, kept, 'KEPT');
      const check = checkTemplated(factories(), templates, document, { bundles: bundles?.() });
      const { value } = await runInSlices(check, clock);
      if (value !== undefined) this.#active.install(value);
      return reversion;
    });
  }

  /**
   * Checks the result of `provision` without changing anything.
   *
   * @throws {ConfigurationError} as `provision` does
   */
  async check(sources: readonly ProvisionSource[]): Promise<void> {
    await this.#provisioner.check(sources, this.#active.findChecked());
  }

  /** Runs after all earlier work. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#pending.then(work);
    this.#pending = running.catch(() => undefined);
    return running;
  }

  #listWarnings(configuration: ManagedConfiguration): readonly Finding[] {
    const { factories, bundles } = this.#options;
    return listConfigurationWarnings(configuration, factories(), bundles?.());
  }

  async #newest(): Promise<Snapshot> {
    return (await this.#load(this.#options.snapshots.findNewestId())) ?? NOTHING;
  }

  #load(id: number): Promise<Snapshot | undefined> {
    const { snapshots, clock } = this.#options;
    return runInSlices(snapshots.load(id), clock);
  }

  async #getSnapshot(id: number): Promise<Snapshot> {
    const snapshot = await this.#load(id);
    if (snapshot !== undefined) return snapshot;
    throw new NotFound({ code: 'SNAPSHOT_UNKNOWN', detail: `unknown snapshot ${id}` });
  }

  async #hide(snapshot: Snapshot): Promise<Snapshot> {
    const hidden = hideSecretsInSlices(this.describe(), snapshot.document);
    return { ...snapshot, document: await runInSlices(hidden, this.#options.clock) };
  }

  #loadTemplates(document: unknown, kept: TemplateContents, first: 'FILES' | 'KEPT'): Promise<TemplateSet> {
    return loadTemplatesOf(document, this.#options.templates, kept, first);
  }

  async #change(change: ConfigurationChange): Promise<ChangeOutcome> {
    const { basis, edit, isDryRun, needsConfirmation, author, mayChangeTokenTrust } = change;
    const { snapshots } = this.#options;
    const newest = await this.#newest();
    if (basis !== undefined && basis !== newest.id) {
      throw new PreconditionFailed({
        code: 'CONFIGURATION_STALE',
        detail: 'the configuration has changed since it was read; read it again',
      });
    }
    if (!isDryRun && snapshots.findUnconfirmed() !== undefined) {
      throw new Conflict({
        code: 'CONFIRMATION_PENDING',
        detail: 'the previous change is pending: confirm or revert it first',
      });
    }
    const wanted = await edit(newest.document);
    if (mayChangeTokenTrust !== true) refuseTokenTrustChange(newest.document, wanted);
    const { configuration, document, templates } = await checkWanted({
      factories: this.#options.factories(),
      bundles: this.#options.bundles?.(),
      wanted,
      active: newest.document,
      known: this.#active.findKnown(newest.document),
      loadTemplates: (content) =>
        this.#loadTemplates(
          content,
          { ...newest.templates, ...this.#earlierTemplates.get(wanted as WeakKey) },
          'FILES',
        ),
      clock: this.#options.clock,
    });
    const changedTemplates = listTemplateChanges(newest.templates, templates.contents);
    const warnings = [...this.#listWarnings(configuration), ...listTemplateWarnings(templates)];
    const comparison = planChange(this.#options.factories(), this.current(), configuration);
    const effects = await runInSlices(comparison, this.#options.clock);
    const plan = {
      ...addWarnings(effects, warnings),
      ...(changedTemplates.length === 0 ? {} : { changedTemplates }),
    };
    const content = [document, templates.contents] as const;
    const saved = [...content, author] as const;
    if (isDryRun || isDeepStrictEqual(content, [newest.document, newest.templates])) {
      return { snapshotId: newest.id, plan, isSaved: false, changes: NO_CHANGES };
    }
    const recording = recordChanges(this.describe(), newest.document, document);
    const changes = await runInSlices(recording, this.#options.clock);
    await runInSlices(snapshots.prepare(...content), this.#options.clock);
    // No slices from here on: what is stored is active at once.
    const { id } = needsConfirmation ? snapshots.saveUnconfirmed(...saved) : snapshots.save(...saved);
    // In force from now on, with the templates that it was saved with.
    this.#earlierTemplates.delete(document);
    this.#active.install(configuration);
    return { snapshotId: id, plan, isSaved: true, changes };
  }
}
