import type { Logger } from '../base/logger.ts';
import type { DeploymentJournal, JournalEntry } from './deployment-journal.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { OperationPhase } from './operation.ts';
import type { PackageBundles } from './package-bundles.ts';
import type { PackageLedger } from './package-ledger.ts';
import type { PackageStore } from './package-store.ts';

export interface PackageChangeParts {
  readonly store: PackageStore;
  readonly ledger: PackageLedger;
  readonly journal: DeploymentJournal;
  readonly bundles: PackageBundles;
  readonly logger: Logger;
}

/** A change as it is asked for. */
export interface RequestedChange {
  readonly operationId: string;
  /** Name of the package. */
  readonly name: string;
  readonly from: InstalledPackage | undefined;
  readonly to: InstalledPackage | undefined;
}

/** What surrounds a change. */
interface ChangeContext {
  readonly onPhase: (phase: OperationPhase) => void;
  /** Gives the change up as long as the ledger does not name it; later it only ends the wait for the bundles. */
  readonly signal: AbortSignal;
}

/**
 * Replaces the installed version of a package, or puts it in or takes it out, so that a crash at any moment leaves the former
 * one or the new one, whole.
 *
 * The order: announce in the journal, move the content to its place, stop the former bundles, name the new version in the
 * ledger, start its bundles. What the ledger names is installed; the journal only says how to clean up. The journal is still
 * there when this returns or throws: `PackageRecovery.settle` ends the change, whether it was done, failed or cut off.
 *
 * @throws whatever stood in the way; the journal says BACKWARD then, unless it cannot be written either
 */
export async function changePackage(
  { store, ledger, journal, bundles, logger }: PackageChangeParts,
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
    await (to === undefined ? ledger.remove(name) : ledger.put(to));
    onPhase('STARTING');
    if (to !== undefined) await bundles.startOnTrial(to, signal);
  } catch (error) {
    if (to !== undefined) await bundles.stop(to);
    await giveUp(journal, entry, logger);
    throw error;
  }
}

async function giveUp(
  journal: DeploymentJournal,
  entry: Omit<JournalEntry, 'direction'>,
  logger: Logger,
): Promise<void> {
  try {
    await journal.write({ ...entry, direction: 'BACKWARD' });
  } catch (error) {
    // The ledger alone decides then.
    logger.warn('deployment.journalUnwritable', { operationId: entry.operationId, error });
  }
}
