import type { IdentityStore } from './identity-store.ts';
import type { Identity, Principal } from './identity.ts';

/**
 * Gives the identity of a principal as it is now: for whoever waited since the request was authenticated.
 *
 * @returns undefined when the proof is void: the identity is gone, even if another one has its name, or the password that
 *   was proved, now or when the session was opened, is not its password any longer
 */
export function findPresentIdentity(
  { identity, method }: Principal,
  identities: Pick<IdentityStore, 'find'>,
): Identity | undefined {
  // No identity of the store.
  if (method === 'local') return identity;
  const present = identities.find(identity.name);
  if (present?.id !== identity.id) return undefined;
  const isBoundToCredentials = method === 'basic' || method === 'session';
  return isBoundToCredentials && present.credentialsRevision !== identity.credentialsRevision
    ? undefined
    : present;
}

/** Whether a proof does not count as long as its identity has to change the password; one by certificate always does. */
export function isLockedOut(
  { method, isByPassword }: Principal,
  { passwordChangeNeeded }: Identity,
): boolean {
  return passwordChangeNeeded && (isByPassword === true || method === 'bearer');
}
