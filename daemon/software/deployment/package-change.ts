import type { Logger } from '../../base/logger.ts';
import type { DeploymentJournal, JournalEntry } from './operation/deployment-journal.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { OperationPhase } from './operation/operation.ts';
import type { PackageBundles } from './package-bundles.ts';
import type { InstalledPackageStore } from './installed-package-store.ts';
import type { PackageStore } from './package-store.ts';

export interface PackageChangeParts {
  readonly store: PackageStore;
  readonly records: InstalledPackageStore;
  readonly journal: DeploymentJournal;
  readonly bundles: PackageBundles;
  readonly logger: Logger;
}

/** A change of one package: an installation, an update or a removal. */
export interface RequestedChange {
  readonly operationId: string;
  /** Name of the package. */
  readonly name: string;
  readonly from: InstalledPackage | undefined;
  readonly to: InstalledPackage | undefined;
}

/** Callbacks and cancellation of a change. */
interface ChangeContext {
  readonly onPhase: (phase: OperationPhase) => void;
  /** Cancels the change until it is recorded; afterwards it only ends the wait for the bundles. */
  readonly signal: AbortSignal;
}

/**
 * Installs, replaces or removes a package, so that a crash at any moment leaves either the previous version or the new one
 * complete.
 *
 * The order: record the change in the journal, move the content to the store, stop the previous bundles, write the record of the
 * new version, start its bundles. The record alone decides what is installed; the journal serves the cleanup. The journal entry
 * remains when this returns or throws: `PackageRecovery.settle` completes the change after success, failure or interruption.
 *
 * @throws the error that stopped the change; the journal entry is then BACKWARD, unless it cannot be written either
 */
export async function changePackage(
  { store, records, journal, bundles, logger }: PackageChangeParts,
  { operationId, name, from, to }: RequestedChange,
  { onPhase, signal }: ChangeContext,
): Promise<void> {
  const entry = { operationId, name, from: from ?? null, to: to ?? null };
  await journal.write({ ...entry, direction: 'FORWARD' });
  try {
    signal.throwIfAborted();
    if (to !== undefined) await store.adopt(store.stagingDirectory(operationId), to);
    signal.throwIfAborted();
    onPhase('SWITCHING');
    if (from !== undefined) await bundles.stop(from);
    signal.throwIfAborted();
    await (to === undefined ? records.remove(name) : records.put(to));
    onPhase('STARTING');
    if (to !== undefined) await bundles.startAndAwait(to, signal);
  } catch (error) {
    if (to !== undefined) await bundles.stop(to);
    await recordFailure(journal, entry, logger);
    throw error;
  }
}

async function recordFailure(
  journal: DeploymentJournal,
  entry: Omit<JournalEntry, 'direction'>,
  logger: Logger,
): Promise<void> {
  try {
    await journal.write({ ...entry, direction: 'BACKWARD' });
  } catch (error) {
    // Without this entry, the record alone decides.
    logger.warn('deployment.journalNotWritten', { operationId: entry.operationId, error });
  }
}
