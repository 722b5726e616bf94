import { listPermissions } from '../bundle/bundle-permissions.ts';
import type { StoredBundle } from '../package/archive/stored-entry.ts';

/** What a bundle may use of the gateway and the machine, for people. */
export interface BundleGrants {
  /** Symbolic name. */
  readonly bundle: string;
  /** Those with the widest effect first, then devices. */
  readonly permissions: readonly string[];
  /** Value of `Penstock-Identities`; absent: its authentication providers name identities with permissions for assets only. */
  readonly identities?: string;
}

/** Returns what a bundle may use; nothing for one that is not started. */
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

/** Lists what the bundles of a package may use, without those that ask for nothing. */
export function listGrants(bundles: readonly StoredBundle[]): readonly BundleGrants[] {
  return bundles
    .map(toGrants)
    .filter(({ permissions, identities }) => permissions.length > 0 || identities !== undefined);
}
