import { formatPath } from '../base/schema.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { LocatedFault } from '../settings/settings-error.ts';
import type { ProvisionSource } from '../settings/settings-file.ts';
import { ConfigurationError } from './configuration-error.ts';
import { checkDocument } from './managed-document.ts';
import type { ManagedConfiguration, ManagedDocument } from './managed-document.ts';
import { checkSources, listWeakPasswords } from './provision-check.ts';
import { mergeProvisions } from './provisioning.ts';
import type { RequestedIdentity } from './provisioning.ts';
import type { Snapshot } from './snapshot-store.ts';

/** A valid configuration that is not in force yet. */
export interface ProvisionCandidate {
  readonly configuration: ManagedConfiguration;
  readonly document: ManagedDocument;
  readonly identities: readonly RequestedIdentity[];
}

/**
 * Merges sources into a snapshot and checks the result as a whole; changes nothing.
 *
 * @param changed the sources to merge, in their order
 * @throws {ConfigurationError} `CONFIGURATION_INVALID` or `SNAPSHOT_INVALID`, with all errors
 */
export function prepareProvision(
  factories: readonly DriverFactory[],
  snapshot: Snapshot | undefined,
  changed: readonly ProvisionSource[],
): ProvisionCandidate {
  const { sources, faults } = checkSources(changed);
  // Without the sources that cannot be read as a whole, other sources would seem to lack their items.
  if (sources.length < changed.length) throw new ConfigurationError('CONFIGURATION_INVALID', faults);
  const merged = mergeProvisions(snapshot?.document ?? {}, sources);
  const checked = checkDocument(factories, merged.document);
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
      isSnapshotAtFault(factories, snapshot, snapshotName, faults)
        ? 'SNAPSHOT_INVALID'
        : 'CONFIGURATION_INVALID',
      faults,
    );
  }
  return { configuration: checked.value, document: merged.document, identities: merged.identities };
}

/** Returns whether the stored document has errors even without any source. */
function isSnapshotAtFault(
  factories: readonly DriverFactory[],
  snapshot: Snapshot | undefined,
  name: string,
  faults: readonly LocatedFault[],
): boolean {
  if (snapshot === undefined || faults.some(({ file }) => file !== name)) return false;
  return checkDocument(factories, snapshot.document).faults !== undefined;
}
