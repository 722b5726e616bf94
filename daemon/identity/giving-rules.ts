import { NotAuthenticated, NotPermitted } from '../base/errors.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Identity, Principal } from './identity.ts';
import { isPermitted } from './permission.ts';
import { findPresentIdentity } from './present-identity.ts';

/**
 * Gives the identity of a caller as it is now.
 *
 * @throws {NotAuthenticated} `NOT_AUTHENTICATED` when its proof is void
 */
export function getCaller(caller: Principal, identities: Pick<IdentityStore, 'find'>): Identity {
  const identity = findPresentIdentity(caller, identities);
  if (identity !== undefined) return identity;
  throw new NotAuthenticated({ code: 'NOT_AUTHENTICATED', detail: 'no valid credentials were given' });
}

/**
 * Refuses that an identity gives, or changes a holder of, a permission that it does not have itself.
 *
 * @param permissions those to be given and those that the changed identity has
 * @throws {NotPermitted} `PERMISSION_BEYOND_OWN`, which names every permission missing
 */
export function refuseBeyondOwn(permissions: readonly string[], caller: Identity): void {
  const missing = [...new Set(permissions)].filter((permission) => !isPermitted(caller, permission));
  if (missing.length === 0) return;
  throw new NotPermitted({
    code: 'PERMISSION_BEYOND_OWN',
    detail: `this needs the permission ${missing.join(', ')} as well: whoever gives a permission, or changes an identity that has it, must have it`,
  });
}
