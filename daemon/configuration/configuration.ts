import { isDeepStrictEqual } from 'node:util';

import { InvalidRequest } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { formatPath } from '../base/schema.ts';
import type { DriverFactory } from '../channel/driver.ts';
import { checkPasswordStrength } from '../identity/identity-rules.ts';
import type { LocatedFault } from '../settings/settings-error.ts';
import type { ProvisionSource } from '../settings/settings-file.ts';
import { ConfigurationError } from './configuration-error.ts';
import { checkDocument } from './managed-document.ts';
import type { ManagedConfiguration, ManagedDocument } from './managed-document.ts';
import { checkProvisionDocument, digestSource } from './provision-document.ts';
import type { ProvisionedIdentity } from './provision-document.ts';
import { mergeProvisions } from './provisioning.ts';
import type { CheckedSource, MergedProvision, RequestedIdentity } from './provisioning.ts';
import type { Snapshot, SnapshotStore } from './snapshot-store.ts';

export interface ConfigurationServiceOptions {
  readonly snapshots: SnapshotStore;
  /** Every kind of driver that there is. */
  readonly factories: readonly DriverFactory[];
  /**
   * Creates an identity unless one of its name exists.
   *
   * @returns whether it was created now
   * @throws {InvalidRequest} when the identity is refused
   */
  readonly createMissingIdentity: (identity: ProvisionedIdentity) => Promise<boolean>;
  readonly logger: Logger;
}

/** What a provisioning did. */
export interface ProvisionOutcome {
  /** Number of the new snapshot; undefined when the configuration did not change. */
  readonly snapshotId: number | undefined;
  /** Names of the sources whose content had changed. */
  readonly mergedSources: readonly string[];
  /** Names of the identities that were created now. */
  readonly createdIdentities: readonly string[];
}

/** A valid configuration that is not in force yet. */
interface Candidate {
  readonly configuration: ManagedConfiguration;
  readonly document: ManagedDocument;
  readonly identities: readonly RequestedIdentity[];
}

/** Holds the managed configuration in force and lets it change as a whole only. */
export class ConfigurationService {
  readonly #options: ConfigurationServiceOptions;
  #current: ManagedConfiguration | undefined;
  // Of the document in force: the document itself would take as much memory as what was made of it.
  #currentDigest: string | undefined;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(options: ConfigurationServiceOptions) {
    this.#options = options;
  }

  /**
   * Gives the configuration in force.
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
    const running = this.#pending.then(() => this.#provision(sources));
    this.#pending = running.catch(() => undefined);
    return running;
  }

  /**
   * Checks what `provision` would put in force, and changes nothing.
   *
   * @throws {ConfigurationError} as `provision` does
   */
  check(sources: readonly ProvisionSource[]): void {
    const { snapshots } = this.#options;
    this.#prepare(snapshots.findNewest(), findChanged(sources, snapshots.readDigests()));
  }

  async #provision(sources: readonly ProvisionSource[]): Promise<ProvisionOutcome> {
    const { snapshots, logger } = this.#options;
    const snapshot = snapshots.findNewest();
    const known = snapshots.readDigests();
    const changed = findChanged(sources, known);
    const { configuration, document, identities } = this.#prepare(snapshot, changed);
    const createdIdentities = await this.#createIdentities(identities);
    const digests = new Map(sources.map(({ name, value }) => [name, digestSource(value)]));
    const isChanged = !isDeepStrictEqual(document, snapshot?.document ?? {});
    const saved =
      isChanged || !isDeepStrictEqual(known, digests)
        ? snapshots.saveProvision({ document: isChanged ? document : undefined, digests })
        : undefined;
    // An equal configuration stays the same object, so that whoever compares sees no change.
    const digest = digestSource(document);
    if (this.#currentDigest !== digest) this.#current = configuration;
    this.#currentDigest = digest;
    const outcome = {
      snapshotId: saved?.id,
      mergedSources: changed.map(({ name }) => name),
      createdIdentities,
    };
    if (changed.length > 0) logger.info('configuration.provisioned', outcome);
    return outcome;
  }

  #prepare(snapshot: Snapshot | undefined, changed: readonly ProvisionSource[]): Candidate {
    const { sources, faults } = checkSources(changed);
    // Without the sources that are faulty as a whole, other sources would seem to lack what those bring.
    if (sources.length < changed.length) throw new ConfigurationError('CONFIGURATION_INVALID', faults);
    const merged = mergeProvisions(snapshot?.document ?? {}, sources);
    const checked = checkDocument(this.#options.factories, merged.document);
    const snapshotName = `configuration snapshot ${snapshot?.id ?? 0}`;
    for (const fault of checked.faults ?? []) {
      faults.push(
        merged.locate(fault) ?? {
          file: snapshotName,
          key: formatPath(fault.path),
          message: fault.message,
        },
      );
    }
    faults.push(...listWeakPasswords(merged, checked.value));
    if (checked.value === undefined || faults.length > 0) {
      throw new ConfigurationError(
        this.#isSnapshotAtFault(snapshot, snapshotName, faults)
          ? 'SNAPSHOT_INVALID'
          : 'CONFIGURATION_INVALID',
        faults,
      );
    }
    return { configuration: checked.value, document: merged.document, identities: merged.identities };
  }

  /** Whether the stored document is at fault without any source. */
  #isSnapshotAtFault(snapshot: Snapshot | undefined, name: string, faults: readonly LocatedFault[]): boolean {
    if (snapshot === undefined || faults.some(({ file }) => file !== name)) return false;
    return checkDocument(this.#options.factories, snapshot.document).faults !== undefined;
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

function findChanged(
  sources: readonly ProvisionSource[],
  known: ReadonlyMap<string, string>,
): readonly ProvisionSource[] {
  return sources.filter(({ name, value }) => known.get(name) !== digestSource(value));
}

function checkSources(changed: readonly ProvisionSource[]): {
  readonly sources: readonly CheckedSource[];
  readonly faults: LocatedFault[];
} {
  const sources: CheckedSource[] = [];
  const located: LocatedFault[] = [];
  for (const source of changed) {
    const { document, faults } = checkProvisionDocument(source.value);
    located.push(...faults.map((fault) => source.locate(fault)));
    if (document !== undefined) sources.push({ source, document });
  }
  return { sources, faults: located };
}

function listWeakPasswords(
  { identities }: MergedProvision,
  configuration: ManagedConfiguration | undefined,
): readonly LocatedFault[] {
  if (configuration === undefined) return [];
  return identities.flatMap(({ identity: { password }, locate }) =>
    password === undefined
      ? []
      : checkPasswordStrength(password, configuration.passwordStrength).map(({ message }) =>
          locate({ path: ['password'], message }),
        ),
  );
}
