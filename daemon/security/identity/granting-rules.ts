import { NotAuthenticated, NotPermitted } from '../../base/errors.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Grant } from './grant.ts';
import type { Identity, Principal } from './identity.ts';
import { ASSETS_PERMISSION, ASSETS_READ_PERMISSION, IDENTITY_PERMISSION, isPermitted } from './permission.ts';
import { findCurrentIdentity } from './current-identity.ts';

/**
 * Returns the current identity of a caller.
 *
 * @throws {NotAuthenticated} `NOT_AUTHENTICATED` if its credentials are no longer valid
 */
export function getCaller(caller: Principal, identities: Pick<IdentityStore, 'find'>): Identity {
  const identity = findCurrentIdentity(caller, identities);
  if (identity !== undefined) return identity;
  throw new NotAuthenticated({ code: 'NOT_AUTHENTICATED', detail: 'no valid credentials' });
}

/** Returns the permissions that grants are part of: to give a grant, the caller needs the whole permission. */
export function permissionsOfGrants(grants: readonly Grant[] = []): readonly string[] {
  const isWriting = grants.some(({ operations }) => operations.includes('WRITE'));
  if (isWriting) return [ASSETS_PERMISSION];
  return grants.length === 0 ? [] : [ASSETS_READ_PERMISSION];
}

/** Lists all permissions of an identity, including those that its grants are part of. */
export function listRights({ permissions, grants }: Identity): readonly string[] {
  return [...permissions, ...permissionsOfGrants(grants)];
}

/**
 * Prevents a caller from granting permissions that it lacks, and from changing identities that have such permissions.
 *
 * @param permissions permissions to grant and those of the identity to change
 * @throws {NotPermitted} `PERMISSION_BEYOND_OWN` with every missing permission
 */
export function refuseBeyondOwn(permissions: readonly string[], caller: Identity): void {
  const missing = [...new Set(permissions)].filter((permission) => !isPermitted(caller, permission));
  if (missing.length === 0) return;
  throw new NotPermitted({
    code: 'PERMISSION_BEYOND_OWN',
    detail: `missing permission ${missing.join(', ')}: an identity can only grant permissions that it has, and only change identities whose permissions it has`,
  });
}

/**
 * Returns an identity whose sessions and tokens the caller may revoke: its own, or another one, which requires the permission
 * for identities and every permission of that identity.
 *
 * @throws {NotFound} `IDENTITY_NOT_FOUND`
 * @throws {NotPermitted} `PERMISSION_MISSING`, also for an unknown name, or `PERMISSION_BEYOND_OWN`
 */
export function getAdministered(
  name: string,
  caller: Identity,
  identities: Pick<IdentityStore, 'get'>,
): Identity {
  if (name !== caller.name && !isPermitted(caller, IDENTITY_PERMISSION)) {
    const detail = `missing permission ${IDENTITY_PERMISSION}`;
    throw new NotPermitted({ code: 'PERMISSION_MISSING', detail });
  }
  const target = identities.get(name);
  if (target.id !== caller.id) refuseBeyondOwn(listRights(target), caller);
  return target;
}
