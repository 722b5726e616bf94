import type { IdentityStore } from './identity-store.ts';
import type { Identity, Principal } from './identity.ts';

/**
 * Finds the present identity of a principal, for callers that have waited since the request was authenticated.
 *
 * @returns undefined when the proof is no longer valid: the identity was deleted, even if another one has its name, or
 *   the password that was proved, now or when the session was opened, has been changed, or the tokens were revoked of which
 *   one was proved
 */
export function findPresentIdentity(
  { identity, method }: Principal,
  identities: Pick<IdentityStore, 'find'>,
): Identity | undefined {
  // Not an identity of the store.
  if (method === 'local') return identity;
  const present = identities.find(identity.name);
  if (present?.id !== identity.id) return undefined;
  if (method === 'bearer' && !isSameRevocation(present, identity)) return undefined;
  const isBoundToCredentials = method === 'basic' || method === 'session';
  return isBoundToCredentials && present.credentialsRevision !== identity.credentialsRevision
    ? undefined
    : present;
}

/** Returns whether the tokens of an identity were not revoked between two of its states. */
export function isSameRevocation(
  { tokenRevocation: one }: Pick<Identity, 'tokenRevocation'>,
  { tokenRevocation: other }: Pick<Identity, 'tokenRevocation'>,
): boolean {
  return one?.generation === other?.generation;
}

/** Returns whether a proof is void while its identity has to change the password; one by certificate never is. */
export function isLockedOut(
  { method, isByPassword }: Principal,
  { passwordChangeNeeded }: Identity,
): boolean {
  return passwordChangeNeeded && (isByPassword === true || method === 'bearer');
}
