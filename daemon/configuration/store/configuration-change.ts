import type { ChangePlan } from '../change-plan.ts';
import type { ManagedDocument } from '../managed-document.ts';
import type { RecordedChanges } from './recorded-changes.ts';

/** Change requested by a client. */
export interface ConfigurationChange {
  /** Number of the snapshot that the client has read; undefined: the active one. */
  readonly basis: number | undefined;
  /** Returns the requested document or a promise of it, given the active one; it may contain secret markers. */
  readonly edit: (document: ManagedDocument) => unknown;
  /** True: return the plan, change nothing. */
  readonly isDryRun: boolean;
  /** True: the change is reverted unless confirmed. */
  readonly needsConfirmation: boolean;
  /** Name of the requesting identity. */
  readonly author?: string | undefined;
  /** True if the change may affect trusted token issuers; default: false. */
  readonly mayChangeTokenTrust?: boolean | undefined;
}

/** The outcome of a change, or of its dry run. */
export interface ChangeOutcome {
  /** Number of the active snapshot afterwards. */
  readonly snapshotId: number;
  readonly plan: ChangePlan;
  /** True if a new snapshot was saved. */
  readonly isSaved: boolean;
  /** Changes for the audit; none after a dry run. */
  readonly changes: RecordedChanges;
}
