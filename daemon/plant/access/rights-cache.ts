import {
  areInForce,
  decideRights,
  EVERY_RIGHT,
  prepareGrants,
} from '../../security/identity/asset-rights.ts';
import type { AssetRights, NamedChannels, PreparedGrants } from '../../security/identity/asset-rights.ts';
import type { Grant } from '../../security/identity/grant.ts';
import type { Identity } from '../../security/identity/identity.ts';
import {
  ASSETS_PERMISSION,
  ASSETS_READ_PERMISSION,
  isPermitted,
} from '../../security/identity/permission.ts';

const READ_RIGHT: AssetRights = { ...EVERY_RIGHT, writable: new Set() };
const NO_RIGHT: AssetRights = { ...READ_RIGHT, readable: new Set() };

/** Maximum number of cached channel names of all identities: about ten megabytes. */
export const MAXIMUM_REMEMBERED = 200_000;

/**
 * Computes and caches the rights of identities on assets. Identities and asset configurations are replaced when
 * they change, which drops their cache entries; the end of a grant triggers a new computation.
 */
export class RightsCache {
  readonly #prepared = new WeakMap<readonly Grant[], PreparedGrants>();
  #decided = new WeakMap<Identity, WeakMap<NamedChannels, AssetRights>>();
  #remembered = 0;

  /**
   * Returns the current rights of an identity on an asset.
   *
   * @param asset its configuration, the same object as long as it does not change
   * @param nowMs milliseconds since the epoch
   */
  rightsOf(identity: Identity, asset: NamedChannels, nowMs: number): AssetRights {
    if (isPermitted(identity, ASSETS_PERMISSION)) return EVERY_RIGHT;
    const { grants } = identity;
    if (grants === undefined) return isPermitted(identity, ASSETS_READ_PERMISSION) ? READ_RIGHT : NO_RIGHT;
    const known = this.#decided.get(identity)?.get(asset);
    if (known !== undefined && areInForce(known, nowMs)) return known;
    const given = decideRights(this.#prepare(grants), asset, nowMs);
    const rights: AssetRights = isPermitted(identity, ASSETS_READ_PERMISSION)
      ? { ...given, readable: 'ALL' }
      : given;
    this.#remember(identity, asset, rights);
    return rights;
  }

  #prepare(grants: readonly Grant[]): PreparedGrants {
    const known = this.#prepared.get(grants);
    if (known !== undefined) return known;
    const prepared = prepareGrants(grants);
    this.#prepared.set(grants, prepared);
    return prepared;
  }

  #remember(identity: Identity, asset: NamedChannels, rights: AssetRights): void {
    this.#remembered += 1;
    for (const set of [rights.readable, rights.writable]) if (set !== 'ALL') this.#remembered += set.size;
    // Collected entries are counted as well: clearing the cache is cheaper than tracking them.
    if (this.#remembered > MAXIMUM_REMEMBERED) {
      this.#decided = new WeakMap();
      this.#remembered = 0;
    }
    const ofIdentity = this.#decided.get(identity) ?? new WeakMap<NamedChannels, AssetRights>();
    ofIdentity.set(asset, rights);
    this.#decided.set(identity, ofIdentity);
  }
}
