import type { Identity } from './identity.ts';

/** Implies every other permission. */
export const ADMIN_PERMISSION = 'rest.admin';

/** Full access to identities, their sessions and their tokens. */
export const IDENTITY_PERMISSION = 'rest.identity';

/** Full access to assets. */
export const ASSETS_PERMISSION = 'rest.assets';

/** Access to assets without writes. */
export const ASSETS_READ_PERMISSION = 'rest.assets.read';

const ASSET_PERMISSIONS: ReadonlySet<string> = new Set([ASSETS_PERMISSION, ASSETS_READ_PERMISSION]);

/** Returns true if all permissions of an identity are for assets; grants always are. */
export function isLimitedToAssets({ permissions }: Pick<Identity, 'permissions'>): boolean {
  return permissions.every((permission) => ASSET_PERMISSIONS.has(permission));
}

/** Returns true if the identity has `permission`, directly or implied. */
export function isPermitted({ permissions }: Pick<Identity, 'permissions'>, permission: string): boolean {
  return (
    permissions.includes(permission) ||
    permissions.includes(ADMIN_PERMISSION) ||
    (permission === ASSETS_READ_PERMISSION && permissions.includes(ASSETS_PERMISSION))
  );
}

/**
 * Returns true if the identity has `permission` for single assets and channels by its grants. Expired grants count, so that the
 * expiry of the last one does not change the kind of refusal.
 */
export function isPartlyPermitted({ grants = [] }: Pick<Identity, 'grants'>, permission: string): boolean {
  return grants.length > 0 && ASSET_PERMISSIONS.has(permission);
}
