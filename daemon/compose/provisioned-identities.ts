import type { AuditLog } from '../security/audit/audit-log.ts';
import type { Logger } from '../base/logger.ts';
import type { RandomSource } from '../base/random.ts';
import type { ProvisionedIdentity } from '../configuration/provision/provision-document.ts';
import { GATEWAY_ITSELF } from '../security/identity/password/hash-source.ts';
import { formatGrants } from '../security/identity/grant.ts';
import type { IdentityStore } from '../security/identity/identity-store.ts';
import type { Identity } from '../security/identity/identity.ts';
import { ensureInitialAdministrator } from '../security/identity/initial-administrator.ts';
import type { PasswordHasher } from '../security/identity/password/password-hash.ts';

interface IdentityProvisioningOptions {
  readonly identities: IdentityStore;
  readonly hasher: PasswordHasher;
  readonly audit: Pick<AuditLog, 'record'>;
}

/**
 * Returns a function that creates an identity of the provision files unless its name exists, and resolves to
 * true if it did.
 */
export function createIdentityProvisioner({ identities, hasher, audit }: IdentityProvisioningOptions) {
  return async (wanted: ProvisionedIdentity): Promise<boolean> => {
    const { name, password, ...rights } = wanted;
    if (identities.find(name) !== undefined) return false;
    const passwordHash = password === undefined ? undefined : await hasher.hash(password, GATEWAY_ITSELF);
    // A power failure before the next snapshot is stored reverts it; the next start then creates it again.
    const identity = identities.create({ name, passwordHash, ...rights }, { isSynced: false });
    recordCreatedIdentity(audit, identity, 'provisioning');
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
  if (created !== undefined) recordCreatedIdentity(options.audit, created, 'provisioning');
}

/**
 * Records an identity that was not created by a request.
 *
 * @param method origin, instead of a request
 */
export function recordCreatedIdentity(
  audit: Pick<AuditLog, 'record'>,
  { name, permissions, grants }: Identity,
  method: 'provisioning' | 'bundle',
): void {
  audit.record({
    event: 'IDENTITY_CREATED',
    outcome: 'SUCCESS',
    method,
    target: name,
    detail: {
      permissions: permissions.join(', '),
      ...(grants === undefined ? {} : { grants: formatGrants(grants) }),
    },
  });
}
