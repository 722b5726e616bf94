import type { PendingChange } from '../../../configuration/configuration-applier.ts';
import type { AuditDetail } from '../../../security/audit/audit-event.ts';
import { describeChanges } from '../../../security/audit/change-detail.ts';
import type {
  ChangeOutcome,
  ConfigurationChange,
} from '../../../configuration/store/configuration-change.ts';
import type { ManagedDocument } from '../../../configuration/managed-document.ts';
import { ok } from '../../http/answer.ts';
import type { Answer } from '../../http/answer.ts';
import { formatEntityTag, readBasis } from '../../http/entity-tag.ts';
import type { ChangeEndpoint } from '../../../interface/configuration/configuration.ts';
import type { QueryOf, ResultOf } from '../../../interface/endpoint.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { ADMIN_PERMISSION, isPermitted } from '../../../security/identity/permission.ts';

/** Applies changes of the configuration. */
export interface ConfigurationChanger {
  /**
   * Changes the configuration completely, or not at all.
   *
   * @param confirmWithinSeconds time after which the change is rolled back unless it was confirmed
   */
  change(
    change: Omit<ConfigurationChange, 'needsConfirmation'>,
    confirmWithinSeconds: number | undefined,
  ): Promise<ChangeOutcome>;
  /**
   * Confirms the pending change.
   *
   * @param expectedSnapshotId number of its snapshot; undefined: any
   * @throws {Conflict} `CONFIRMATION_NOT_PENDING`, `CONFIRMATION_OF_ANOTHER`
   */
  confirm(expectedSnapshotId?: number): void;
  /**
   * Reverts the pending change at once.
   *
   * @param expectedSnapshotId number of its snapshot; undefined: any
   * @returns the number of the snapshot that is active afterwards
   * @throws {Conflict} `CONFIRMATION_NOT_PENDING`, `CONFIRMATION_OF_ANOTHER`
   */
  revertPending(expectedSnapshotId?: number): Promise<number>;
  findPending(): PendingChange | undefined;
}

type ChangePlan = ResultOf<ChangeEndpoint>;

/** A request for a change. */
type ChangeCall = RequestContext & { readonly query: QueryOf<ChangeEndpoint> };

/**
 * Applies a change as its query requests: as a dry run, permanently, or with a deadline for confirmation.
 *
 * @param createEdit returns the edit; called once the request is known to be well-formed
 * @throws {HttpRefusal} 428
 * @throws as `ConfigurationStore.change` does
 */
export async function changeConfiguration(
  applier: Pick<ConfigurationChanger, 'change'>,
  context: ChangeCall,
  createEdit: () => (document: ManagedDocument) => unknown,
): Promise<Answer<ChangePlan>> {
  const { dryRun: isDryRun, confirmWithin } = context.query;
  // A refusal is recorded as well; a dry run changes nothing and is not.
  if (!isDryRun) context.auditAnnotation = { event: 'CONFIGURATION_CHANGED' };
  const basis = readBasis(context.request, !isDryRun);
  const author = context.principal?.identity.name;
  const mayChangeTokenTrust = isAdministrator(context);
  const change = { basis, edit: createEdit(), isDryRun, author, mayChangeTokenTrust };
  const outcome = await applier.change(change, confirmWithin);
  if (!isDryRun) {
    const details = describeChanges(describe(outcome, confirmWithin), outcome.changes);
    context.auditAnnotation = { event: 'CONFIGURATION_CHANGED', details };
  }
  const { snapshotId: snapshot, plan } = outcome;
  return ok({ snapshot, ...plan }, isDryRun ? {} : { ETag: formatEntityTag(snapshot) });
}

/** Returns whether a request may change which tokens are trusted. */
export function isAdministrator({ principal }: Pick<RequestContext, 'principal'>): boolean {
  return principal !== undefined && isPermitted(principal.identity, ADMIN_PERMISSION);
}

function describe({ snapshotId, plan }: ChangeOutcome, confirmWithin: number | undefined): AuditDetail {
  const { added, changed, removed, changedTemplates: templates = [] } = plan;
  const parts = Object.entries({ added, changed, removed, templates }).filter(([, list]) => list.length > 0);
  return {
    snapshot: snapshotId,
    ...Object.fromEntries(parts.map(([kind, list]) => [kind, list.join(', ')])),
    ...(confirmWithin === undefined ? {} : { confirmWithinSeconds: confirmWithin }),
  };
}
