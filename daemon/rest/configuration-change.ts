import type { AuditDetail } from '../audit/audit-event.ts';
import { z } from '../base/schema.ts';
import type { ChangeOutcome, ConfigurationChange } from '../configuration/configuration-store.ts';
import type { ManagedDocument } from '../configuration/managed-document.ts';
import { ok } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import { formatEntityTag, readBasis } from '../http/entity-tag.ts';
import { integerParameter, readQuery } from '../http/query.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Puts changes of the configuration in force. */
export interface ConfigurationChanger {
  /**
   * Changes the configuration as a whole, or not at all.
   *
   * @param confirmWithinSeconds the change is taken back after so long unless it is confirmed before
   */
  change(
    change: Omit<ConfigurationChange, 'needsConfirmation'>,
    confirmWithinSeconds: number | undefined,
  ): Promise<ChangeOutcome>;
  /** @throws {Conflict} `CONFIRMATION_NOT_PENDING` */
  confirm(): void;
}

/** How a change may be asked for: every parameter at most once. */
export const changeQuery = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  confirmWithin: integerParameter(1, 86_400).optional(),
});

const names = z.array(z.string());

/** What a change did, or would do. */
export const changePlan = z.strictObject({
  snapshot: z.int(),
  added: names,
  changed: names,
  removed: names,
  restartedConnections: names,
});

/**
 * Makes a change as its request wants it: tried only, for good, or until it is taken back.
 *
 * @param createEdit says what to change; called once the request is known to be well-formed
 * @throws {HttpRefusal} 428
 * @throws {InvalidRequest} `QUERY_INVALID`
 * @throws as `ConfigurationStore.change` does
 */
export async function changeConfiguration(
  applier: ConfigurationChanger,
  context: RequestContext,
  createEdit: () => (document: ManagedDocument) => unknown,
): Promise<Answer> {
  const { dryRun: isDryRun, confirmWithin } = readQuery(context.request, changeQuery);
  // A refusal is recorded as well; a dry run changes nothing and is not.
  if (!isDryRun) context.auditNote = { event: 'CONFIGURATION_CHANGED' };
  const basis = readBasis(context.request, !isDryRun);
  const outcome = await applier.change({ basis, edit: createEdit(), isDryRun }, confirmWithin);
  if (!isDryRun) {
    context.auditNote = { event: 'CONFIGURATION_CHANGED', details: [describe(outcome, confirmWithin)] };
  }
  const { snapshotId: snapshot, plan } = outcome;
  return ok({ snapshot, ...plan }, isDryRun ? {} : { ETag: formatEntityTag(snapshot) });
}

function describe({ snapshotId, plan }: ChangeOutcome, confirmWithin: number | undefined): AuditDetail {
  const { added, changed, removed } = plan;
  const parts = Object.entries({ added, changed, removed }).filter(([, list]) => list.length > 0);
  return {
    snapshot: snapshotId,
    ...Object.fromEntries(parts.map(([kind, list]) => [kind, list.join(', ')])),
    ...(confirmWithin === undefined ? {} : { confirmWithinSeconds: confirmWithin }),
  };
}
