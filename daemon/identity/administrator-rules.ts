import { Conflict } from '../base/errors.ts';
import type { Identity } from './identity.ts';
import { ADMIN_PERMISSION } from './permission.ts';

/**
 * Refuses a change that would lock all administrators out: none would be left, or none with a password where there was
 * one. Certificates do not count, because the gateway cannot tell which ones are still in use.
 *
 * @param identities as they are
 * @param changed one of them as it would be
 * @throws {Conflict} `LAST_ADMINISTRATOR`
 */
export function refuseLockOut(identities: readonly Identity[], changed: Identity): void {
  const after = identities.map((identity) => (identity.id === changed.id ? changed : identity));
  const losesAll = identities.some(isAdministrator) && !after.some(isAdministrator);
  const losesPassword = identities.some(hasPassword) && !after.some(hasPassword);
  if (!losesAll && !losesPassword) return;
  throw new Conflict({
    code: 'LAST_ADMINISTRATOR',
    detail: `${changed.name} is the last identity with ${ADMIN_PERMISSION}${losesAll ? '' : ' and a password'}`,
  });
}

function isAdministrator({ permissions }: Identity): boolean {
  return permissions.includes(ADMIN_PERMISSION);
}

function hasPassword(identity: Identity): boolean {
  return isAdministrator(identity) && identity.passwordHash !== undefined;
}
