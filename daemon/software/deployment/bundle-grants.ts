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
}

/** Returns the permissions of a bundle; none for one that is not started. */
export function toGrants({
  symbolicName: bundle,
  main,
  permissions,
  identities,
}: StoredBundle): BundleGrants {
  if (main === undefined) return { bundle, permissions: [] };
  const listed = { bundle, permissions: listPermissions(permissions) };
  return identities === undefined ? listed : { ...listed, identities };
}

/** Lists the permissions of the bundles of a package, without bundles that request none. */
export function listGrants(bundles: readonly StoredBundle[]): readonly BundleGrants[] {
  return bundles
    .map(toGrants)
    .filter(({ permissions, identities }) => permissions.length > 0 || identities !== undefined);
}
