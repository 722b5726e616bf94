import type { Identity } from './identity.ts';

/** Implies every other permission. */
export const ADMIN_PERMISSION = 'rest.admin';

/** Everything that can be done with identities, their sessions and their tokens. */
export const IDENTITY_PERMISSION = 'rest.identity';

/** Everything that can be done with assets. */
export const ASSETS_PERMISSION = 'rest.assets';

/** Everything that can be done with assets without changing what a device does. */
export const ASSETS_READ_PERMISSION = 'rest.assets.read';

const ASSET_PERMISSIONS: ReadonlySet<string> = new Set([ASSETS_PERMISSION, ASSETS_READ_PERMISSION]);

/** Returns whether the permissions of an identity are for assets only; its grants always are. */
export function isLimitedToAssets({ permissions }: Pick<Identity, 'permissions'>): boolean {
  return permissions.every((permission) => ASSET_PERMISSIONS.has(permission));
}

/** Returns whether the identity may do what needs `permission`. */
export function isPermitted({ permissions }: Pick<Identity, 'permissions'>, permission: string): boolean {
  return (
    permissions.includes(permission) ||
    permissions.includes(ADMIN_PERMISSION) ||
    (permission === ASSETS_READ_PERMISSION && permissions.includes(ASSETS_PERMISSION))
  );
}

/**
 * Returns whether the identity may do a part of what needs `permission`: grants give the permissions for assets on single
 * assets and channels. Ended grants count, so that the end of the last one does not look like another refusal.
 */
export function isPartlyPermitted({ grants = [] }: Pick<Identity, 'grants'>, permission: string): boolean {
  return grants.length > 0 && ASSET_PERMISSIONS.has(permission);
}
