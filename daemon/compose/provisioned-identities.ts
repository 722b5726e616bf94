import type { AuditLog } from '../audit/audit-log.ts';
import type { Logger } from '../base/logger.ts';
import type { RandomSource } from '../base/random.ts';
import type { ProvisionedIdentity } from '../configuration/provision-document.ts';
import { GATEWAY_ITSELF } from '../identity/hash-source.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Identity } from '../identity/identity.ts';
import { ensureInitialAdministrator } from '../identity/initial-administrator.ts';
import type { PasswordHasher } from '../identity/password-hash.ts';

interface IdentityProvisioningOptions {
  readonly identities: IdentityStore;
  readonly hasher: PasswordHasher;
  readonly audit: Pick<AuditLog, 'record'>;
}

/**
 * Returns a function that creates an identity of the provision files unless one of its name exists, and resolves to
 * whether it did.
 */
export function createIdentityProvisioner({ identities, hasher, audit }: IdentityProvisioningOptions) {
  return async (wanted: ProvisionedIdentity): Promise<boolean> => {
    const { name, permissions, password, passwordChangeNeeded } = wanted;
    if (identities.find(name) !== undefined) return false;
    const passwordHash = password === undefined ? undefined : await hasher.hash(password, GATEWAY_ITSELF);
    record(audit, identities.create({ name, permissions, passwordHash, passwordChangeNeeded }));
    return true;
  };
}

/** Creates the initial administrator of a gateway without identities, and records it in the audit log. */
export async function provisionInitialAdministrator(
  options: IdentityProvisioningOptions & {
    readonly dataDirectory: string;
    readonly logger: Logger;
    readonly random: RandomSource;
  },
): Promise<void> {
  const created = await ensureInitialAdministrator(options);
  if (created !== undefined) record(options.audit, created);
}

// No request caused these, so the method names the origin.
function record(audit: Pick<AuditLog, 'record'>, { name, permissions }: Identity): void {
  audit.record({
    event: 'IDENTITY_CREATED',
    outcome: 'SUCCESS',
    method: 'provisioning',
    target: name,
    detail: { permissions: permissions.join(', ') },
  });
}
