import type { Logger } from '../base/logger.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { TemplateSource } from './asset-templates.ts';
import type { ProvisionedIdentity } from './provision-document.ts';
import type { KnownIdentities } from './provision-origins.ts';
import type { RecordedChanges } from './recorded-changes.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** What the managed configuration is made of. */
export interface ConfigurationStoreOptions {
  readonly snapshots: SnapshotStore;
  /** Every kind of driver that there is now. */
  readonly factories: () => readonly DriverFactory[];
  /** Absent: there are no templates. */
  readonly templates?: TemplateSource;
  /**
   * Creates an identity unless one with its name exists.
   *
   * @returns whether it was created now
   * @throws {InvalidRequest} when the identity is refused
   */
  readonly createMissingIdentity: (identity: ProvisionedIdentity) => Promise<boolean>;
  /** Absent: none is known, and of none is it recorded where it came from. */
  readonly identities?: KnownIdentities;
  readonly logger: Logger;
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
