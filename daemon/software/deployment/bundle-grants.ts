import { listPermissions } from '../bundle/bundle-permissions.ts';
import type { StoredBundle } from '../package/archive/stored-entry.ts';

/** Permissions of a bundle, for display. */
export interface BundleGrants {
  /** Symbolic name. */
  readonly bundle: string;
  /** Those with the widest effect first, then devices. */
  readonly permissions: readonly string[];
  /** Value of `Penstock-Identities`; absent: its authentication providers name identities with permissions for assets only. */
  readonly identities?: string;
  /** Value of `Penstock-Memory`, in MiB; absent: as every bundle. */
  readonly memoryMib?: number;
}

/** Returns the permissions of a bundle; none for one that is not started. */
export function toGrants({
  symbolicName: bundle,
  main,
  permissions,
  identities,
  memoryMib,
}: StoredBundle): BundleGrants {
  if (main === undefined) return { bundle, permissions: [] };
  return {
    bundle,
    permissions: listPermissions(permissions),
    ...(identities === undefined ? {} : { identities }),
    ...(memoryMib === undefined ? {} : { memoryMib }),
  };
}

/** Lists the permissions of the bundles of a package, without bundles that request none. */
export function listGrants(bundles: readonly StoredBundle[]): readonly BundleGrants[] {
  return bundles
    .map(toGrants)
    .filter(
      ({ permissions, identities, memoryMib }) =>
        permissions.length > 0 || identities !== undefined || memoryMib !== undefined,
    );
}
