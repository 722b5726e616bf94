import type { AuditLog } from '../security/audit/audit-log.ts';
import type { ChangeOutcome } from '../configuration/store/configuration-change.ts';
import type { ProvisionDrift } from '../configuration/provision/provision-drift.ts';
import type { IdentityAdministration } from '../security/identity/identity-administration.ts';
import { createFinding } from '../interface/finding.ts';
import type { Principal } from '../security/identity/identity.ts';
import { ADMIN_PERMISSION, isPermitted } from '../security/identity/permission.ts';
import type { PruneRequest } from '../server/rest/configuration/drift-routes.ts';
import type { ConfigurationApplier } from '../configuration/configuration-applier.ts';

interface ProvisionPrunerOptions {
  readonly drift: ProvisionDrift;
  readonly applier: Pick<ConfigurationApplier, 'change'>;
  readonly administration: IdentityAdministration;
  readonly audit: Pick<AuditLog, 'record'>;
}

/**
 * Returns a function that removes items that are no longer in any provision file: the parts of the configuration in one
 * change, then the identities one by one, each with its own audit event. After an interruption, another call completes it.
 *
 * Identities stay if the caller may not manage them, or if the change must be confirmed, because they could not be restored.
 */
export function createProvisionPruner(options: ProvisionPrunerOptions) {
  const { drift, applier, administration, audit } = options;
  return async ({ caller, basis, isDryRun, confirmWithinSeconds }: PruneRequest): Promise<ChangeOutcome> => {
    const isForIdentities =
      confirmWithinSeconds === undefined && isPermitted(caller.identity, 'rest.identity');
    const names = isForIdentities ? await drift.listVanishedIdentities() : [];
    administration.checkRemoval(names, caller);
    const change = {
      basis,
      isDryRun,
      mayChangeTokenTrust: isPermitted(caller.identity, ADMIN_PERMISSION),
      edit: (document: Parameters<ProvisionDrift['prune']>[0]) => drift.prune(document),
    };
    const outcome = await applier.change(change, confirmWithinSeconds);
    if (!isDryRun) for (const name of names) await removeIdentity(name, caller);
    return withIdentities(outcome, names);
  };

  async function removeIdentity(name: string, caller: Principal): Promise<void> {
    await administration.remove(name, caller);
    const { identity, method } = caller;
    audit.record({
      event: 'IDENTITY_REMOVED',
      outcome: 'SUCCESS',
      identity: identity.name,
      method,
      target: name,
      detail: { userName: name, reason: 'not in any provision file' },
    });
  }
}

function withIdentities(outcome: ChangeOutcome, names: readonly string[]): ChangeOutcome {
  const { plan } = outcome;
  const lost = names.map((name) => createFinding('LOST_IDENTITY', { identity: name }));
  return {
    ...outcome,
    plan: {
      ...plan,
      removed: [...plan.removed, ...names.map((name) => `identities/${name}`)],
      cutsOff: [...plan.cutsOff, ...lost.map(({ message }) => message)],
      findings: [...(plan.findings ?? []), ...lost],
    },
  };
}
