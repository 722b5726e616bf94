import type { Identity } from './identity.ts';

/** Implies every other permission. */
export const ADMIN_PERMISSION = 'rest.admin';

// Reading alone, and everything that can be done with assets.
const ASSET_PERMISSIONS = new Set(['rest.assets', 'rest.assets.read']);

/** Returns whether the permissions of an identity are for assets only. */
export function isLimitedToAssets({ permissions }: Pick<Identity, 'permissions'>): boolean {
  return permissions.every((permission) => ASSET_PERMISSIONS.has(permission));
}

/** Returns whether the identity may do what needs `permission`. */
export function isPermitted(identity: Identity, permission: string): boolean {
  return identity.permissions.includes(permission) || identity.permissions.includes(ADMIN_PERMISSION);
}
