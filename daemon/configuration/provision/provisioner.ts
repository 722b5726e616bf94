import { isDeepStrictEqual } from 'node:util';

import { InvalidRequest } from '../../base/errors.ts';
import { forEachInTurn, runInSlices } from '../../base/slices.ts';
import type { SliceClock } from '../../base/slices.ts';
import type { ProvisionSource } from '../../settings/settings-file.ts';
import type { TemplateContents, TemplateSet, TemplateSource } from '../asset-templates.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { describeDocument } from '../document-schema.ts';
import type { ManagedConfiguration, ManagedDocument } from '../managed-document.ts';
import { prepareProvision } from './provision-candidate.ts';
import type { ProvisionCandidate } from './provision-candidate.ts';
import { digestSources, findChanged } from './provision-check.ts';
import { createPresence, recordOrigins } from './provision-origins.ts';
import type { IdentityLookup } from './provision-origins.ts';
import { NO_CHANGES, recordChanges } from '../store/recorded-changes.ts';
import type { RecordedChanges } from '../store/recorded-changes.ts';
import type { RequestedIdentity } from './provisioning.ts';
import type { Snapshot, SnapshotStore } from '../store/snapshot-store.ts';
import type { Logger } from '../../base/logger.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import type { KnownPlant } from '../../plant/asset/plant-config.ts';
import type { ConfigurableBundle } from '../bundle-section.ts';
import type { ProvisionedIdentity } from './provision-document.ts';

/** Dependencies of the configuration store. */
export interface ConfigurationStoreOptions {
  readonly snapshots: SnapshotStore;
  /** All current driver types. */
  readonly factories: () => readonly DriverFactory[];
  /** Installed bundles that have settings; absent: none. */
  readonly bundles?: (() => readonly ConfigurableBundle[]) | undefined;
  /** Absent: there are no templates. */
  readonly templates?: TemplateSource;
  /**
   * Creates an identity unless one with its name exists.
   *
   * @returns true if it was created now
   * @throws {InvalidRequest} when the identity is refused
   */
  readonly createMissingIdentity: (identity: ProvisionedIdentity) => Promise<boolean>;
  /** Absent: identities are unknown, and their origins are not recorded. */
  readonly identities?: IdentityLookup;
  readonly logger: Logger;
  readonly clock: SliceClock;
}

/** The outcome of a provisioning. */
export interface ProvisionOutcome {
  /** Number of the new snapshot; undefined when the configuration did not change. */
  readonly snapshotId: number | undefined;
  /** What changed. */
  readonly changes: RecordedChanges;
  /** Names of the sources whose content had changed. */
  readonly mergedSources: readonly string[];
  /** Names of the identities that were created now. */
  readonly createdIdentities: readonly string[];
}

interface ProvisionerOptions extends ConfigurationStoreOptions {
  /** Reads the templates of the assets of a document: from their files, or as they were kept. */
  readonly loadTemplates: (
    document: unknown,
    kept: TemplateContents,
    first: 'FILES' | 'KEPT',
  ) => Promise<TemplateSet>;
  /** Finds the checked parts of the newest document. */
  readonly findKnown: (newest: ManagedDocument) => KnownPlant | undefined;
}

/** Result of a provisioning. */
interface Provisioned {
  readonly configuration: ManagedConfiguration;
  readonly outcome: ProvisionOutcome;
}

const NOTHING_MERGED: ProvisionOutcome = {
  snapshotId: undefined,
  changes: NO_CHANGES,
  mergedSources: [],
  createdIdentities: [],
};
const NO_IDENTITIES: IdentityLookup = { find: () => undefined, list: () => [] };

/** Merges provision sources into the stored configuration, and records what came from which source. */
export class Provisioner {
  readonly #options: ProvisionerOptions;
  readonly #identities: IdentityLookup;

  constructor(options: ProvisionerOptions) {
    this.#options = options;
    this.#identities = options.identities ?? NO_IDENTITIES;
  }

  /**
   * Checks the result of `run` without changing anything.
   *
   * @param inForce the checked configuration of the newest snapshot, if active
   * @throws {ConfigurationError} as `run` does
   */
  async check(sources: readonly ProvisionSource[], inForce?: ManagedConfiguration): Promise<void> {
    const { changed } = await this.#compare(sources);
    if (inForce === undefined || changed.length > 0) await this.#prepare(changed, await this.#findNewest());
  }

  /**
   * Merges every source whose content has changed, creates missing identities, and stores the result.
   *
   * @param inForce as for `check`
   * @throws {ConfigurationError} `CONFIGURATION_INVALID` or `SNAPSHOT_INVALID`
   */
  async run(sources: readonly ProvisionSource[], inForce?: ManagedConfiguration): Promise<Provisioned> {
    const { snapshots, logger, clock } = this.#options;
    const { known, digests, changed } = await this.#compare(sources);
    const isFirst = !snapshots.origins.isRecorded();
    // Every start but the first comes here; comparing all origins would take as long as checking the configuration.
    const isUnchanged = !isFirst && changed.length === 0 && known.size === digests.size;
    if (isUnchanged && !isDeepStrictEqual(known, digests)) {
      this.#attempt(() => snapshots.saveProvision({ digests }));
    }
    if (isUnchanged && inForce !== undefined) return { configuration: inForce, outcome: NOTHING_MERGED };
    const snapshot = await this.#findNewest();
    const { configuration, document, identities, templates } = await this.#prepare(changed, snapshot);
    if (isUnchanged) {
      this.#tidy(snapshot, document);
      return { configuration, outcome: NOTHING_MERGED };
    }
    const createdIdentities = await this.#createIdentities(identities);
    const former = await runInSlices(snapshots.origins.load(), clock);
    const recording = recordOrigins({ former, isFirst, sources, document, identities: this.#identities });
    const recorded = await runInSlices(recording, clock);
    const origins = await runInSlices(snapshots.origins.prepare(recorded, former), clock);
    // Quick: equal parts are the same objects.
    const isChanged =
      !isDeepStrictEqual(document, snapshot?.document ?? {}) ||
      (changed.length > 0 && !isDeepStrictEqual(templates.contents, snapshot?.templates ?? {}));
    const schema = isChanged ? describeDocument(this.#options.factories(), this.#options.bundles?.()) : {};
    const changes = isChanged
      ? await runInSlices(recordChanges(schema, snapshot?.document ?? {}, document), clock)
      : NO_CHANGES;
    if (isChanged) await runInSlices(snapshots.prepare(document, templates.contents), clock);
    // No slices from here on: what is stored is active at once.
    const saved = snapshots.saveProvision({
      ...(isChanged ? { document, templates: templates.contents } : {}),
      digests,
      origins,
    });
    this.#noteRight(saved ?? snapshot);
    const outcome = {
      snapshotId: saved?.id,
      changes,
      mergedSources: changed.map(({ name }) => name),
      createdIdentities,
    };
    const { changes: _changes, ...logged } = outcome;
    if (changed.length > 0) logger.info('configuration.provisioned', logged);
    return { configuration, outcome };
  }

  /** Compares the sources with those of the last merge. */
  async #compare(sources: readonly ProvisionSource[]) {
    const { snapshots, clock } = this.#options;
    const known = snapshots.readDigests();
    const digesting = digestSources(sources, (source) => snapshots.mask(source));
    const digests = await runInSlices(digesting, clock);
    return { known, digests, changed: await runInSlices(findChanged(sources, known, digests), clock) };
  }

  #findNewest(): Promise<Snapshot | undefined> {
    const { snapshots, clock } = this.#options;
    return runInSlices(snapshots.load(snapshots.findNewestId()), clock);
  }

  /** Deletes origins of removed parts, and marks the snapshot as checked for the next start. */
  #tidy(snapshot: Snapshot | undefined, document: ManagedDocument): void {
    const { origins } = this.#options.snapshots;
    this.#attempt(() => origins.forgetAbsent(createPresence(document, this.#identities)));
    if (snapshot?.wasRight !== true) this.#noteRight(snapshot);
  }

  #noteRight(snapshot: Pick<Snapshot, 'id'> | undefined): void {
    if (snapshot !== undefined) this.#attempt(() => this.#options.snapshots.noteRight(snapshot.id));
  }

  /** A full disk must not prevent the start; the next start retries. */
  #attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#options.logger.warn('configuration.checkNotStored', { error });
    }
  }

  async #prepare(
    changed: readonly ProvisionSource[],
    snapshot: Snapshot | undefined,
  ): Promise<ProvisionCandidate> {
    const { factories, bundles, clock } = this.#options;
    // A start without changed settings is not a change: the former state is restored.
    const first = changed.length === 0 ? 'KEPT' : 'FILES';
    const loadTemplates = (document: ManagedDocument): Promise<TemplateSet> =>
      this.#options.loadTemplates(document, snapshot?.templates ?? {}, first);
    return prepareProvision({
      factories: factories(),
      bundles: bundles?.(),
      snapshot,
      known: this.#options.findKnown(snapshot?.document ?? {}),
      changed,
      loadTemplates,
      clock,
    });
  }

  async #createIdentities(requested: readonly RequestedIdentity[]): Promise<readonly string[]> {
    const { snapshots, clock } = this.#options;
    const { origins } = snapshots;
    const missing = requested
      .map(({ identity: { name } }) => name)
      .filter((name) => this.#identities.find(name) === undefined);
    // Announced first: after a crash in between, the origin of the identity is still recorded.
    if (missing.length > 0) origins.announceIdentities(missing);
    const created = new Set<string>();
    try {
      await forEachInTurn(requested, clock, async ({ identity, locate }) => {
        if (await this.#create(identity, locate)) created.add(identity.name);
      });
    } finally {
      // An identity that was refused, or created by another client, does not come from the file.
      const others = missing.filter((name) => !created.has(name));
      if (others.length > 0) origins.withdrawIdentities(others);
    }
    return [...created];
  }

  async #create(
    identity: RequestedIdentity['identity'],
    locate: RequestedIdentity['locate'],
  ): Promise<boolean> {
    try {
      return await this.#options.createMissingIdentity(identity);
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      const { detail: message, reasons } = error;
      throw new ConfigurationError('CONFIGURATION_INVALID', [locate({ path: [], message, reasons })]);
    }
  }
}
