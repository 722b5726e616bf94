import { NotAuthenticated, NotPermitted } from '../../base/errors.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Grant } from './grant.ts';
import type { Identity, Principal } from './identity.ts';
import { ASSETS_PERMISSION, ASSETS_READ_PERMISSION, IDENTITY_PERMISSION, isPermitted } from './permission.ts';
import { findCurrentIdentity } from './current-identity.ts';

/**
 * Returns the present identity of a caller.
 *
 * @throws {NotAuthenticated} `NOT_AUTHENTICATED` when its proof is no longer valid
 */
export function getCaller(caller: Principal, identities: Pick<IdentityStore, 'find'>): Identity {
  const identity = findCurrentIdentity(caller, identities);
  if (identity !== undefined) return identity;
  throw new NotAuthenticated({ code: 'NOT_AUTHENTICATED', detail: 'no valid credentials' });
}

/** Returns the permissions of which grants are parts: who gives the part has to have the whole. */
export function permissionsOfGrants(grants: readonly Grant[] = []): readonly string[] {
  const isWriting = grants.some(({ operations }) => operations.includes('WRITE'));
  if (isWriting) return [ASSETS_PERMISSION];
  return grants.length === 0 ? [] : [ASSETS_READ_PERMISSION];
}

/** Returns every permission that an identity has, also those of which it has a part by its grants. */
export function listRights({ permissions, grants }: Identity): readonly string[] {
  return [...permissions, ...permissionsOfGrants(grants)];
}

/**
 * Refuses to let an identity grant a permission that it does not have itself, or change an identity that has one.
 *
 * @param permissions those to be granted and those that the changed identity has
 * @throws {NotPermitted} `PERMISSION_BEYOND_OWN`, which names every missing permission
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
 * Returns an identity whose sessions and tokens a caller may end: itself, or another one, for which it needs the permission
 * for identities and every permission that this one has.
 *
 * @throws {NotFound} `IDENTITY_NOT_FOUND`
 * @throws {NotPermitted} `PERMISSION_MISSING`, also for a name that no identity has, or `PERMISSION_BEYOND_OWN`
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
