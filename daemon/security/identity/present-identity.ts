import type { IdentityStore } from './identity-store.ts';
import type { Identity, Principal } from './identity.ts';
import { findDuty } from './pending-duty.ts';
import type { PendingDuty } from './pending-duty.ts';

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

/**
 * Returns what an identity has to do before its proof opens anything else; undefined: nothing. A proof by certificate has no
 * such duty, and a token only that of changing the password.
 *
 * @param identity as it is now
 */
export function findDutyOf({ method, isByPassword }: Principal, identity: Identity): PendingDuty | undefined {
  const duty = findDuty(identity);
  if (isByPassword === true) return duty;
  return method === 'bearer' && duty === 'PASSWORD_CHANGE' ? duty : undefined;
}
