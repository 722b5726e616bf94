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

/** Names of channels that are remembered, for all identities together: about ten megabytes. */
export const MAXIMUM_REMEMBERED = 200_000;

/**
 * Decides what identities may do with assets, and remembers it. Identities and configurations of assets are replaced when
 * they change, and what was decided for them is forgotten with them; a grant that ends is decided anew.
 */
export class RightsCache {
  readonly #prepared = new WeakMap<readonly Grant[], PreparedGrants>();
  #decided = new WeakMap<Identity, WeakMap<NamedChannels, AssetRights>>();
  #remembered = 0;

  /**
   * Returns what an identity may do with an asset now.
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
    // What the collector has taken is counted as well: starting anew is cheaper than knowing.
    if (this.#remembered > MAXIMUM_REMEMBERED) {
      this.#decided = new WeakMap();
      this.#remembered = 0;
    }
    const ofIdentity = this.#decided.get(identity) ?? new WeakMap<NamedChannels, AssetRights>();
    ofIdentity.set(asset, rights);
    this.#decided.set(identity, ofIdentity);
  }
}
