import type { Identity } from './identity.ts';

/** Implies every other permission. */
export const ADMIN_PERMISSION = 'rest.admin';

/** Returns whether the identity may do what needs `permission`. */
export function isPermitted(identity: Identity, permission: string): boolean {
  return identity.permissions.includes(permission) || identity.permissions.includes(ADMIN_PERMISSION);
}
