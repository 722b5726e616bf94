import type { IdentityStore } from './identity-store.ts';
import type { Identity, Principal } from './identity.ts';
import { findRequiredAction } from './required-action.ts';
import type { RequiredAction } from './required-action.ts';

/**
 * Finds the current identity of a principal, for callers that have waited since the request was authenticated.
 *
 * @returns undefined if the credentials are no longer valid: the identity was deleted (even if another one has its name), its
 *   password was changed since a BASIC or session authentication, or its tokens were revoked
 */
export function findCurrentIdentity(
  { identity, method }: Principal,
  identities: Pick<IdentityStore, 'find'>,
): Identity | undefined {
  // Not an identity of the store.
  if (method === 'local') return identity;
  const current = identities.find(identity.name);
  if (current?.id !== identity.id) return undefined;
  if (method === 'bearer' && !isSameRevocation(current, identity)) return undefined;
  const isBoundToCredentials = method === 'basic' || method === 'session';
  return isBoundToCredentials && current.credentialsRevision !== identity.credentialsRevision
    ? undefined
    : current;
}

/** Returns true if the tokens of an identity were not revoked between two of its states. */
export function isSameRevocation(
  { tokenRevocation: one }: Pick<Identity, 'tokenRevocation'>,
  { tokenRevocation: other }: Pick<Identity, 'tokenRevocation'>,
): boolean {
  return one?.generation === other?.generation;
}

/**
 * Returns the required action of a principal; undefined: none. Certificates require no action, and tokens only a password change.
 *
 * @param identity current state of the identity
 */
export function findRequiredActionOf(
  { method, isByPassword }: Principal,
  identity: Identity,
): RequiredAction | undefined {
  const action = findRequiredAction(identity);
  if (isByPassword === true) return action;
  return method === 'bearer' && action === 'PASSWORD_CHANGE' ? action : undefined;
}
