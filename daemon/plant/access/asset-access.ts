import type { Asset } from '../asset/asset.ts';
import { describeUnknownAsset } from '../asset/asset-registry.ts';
import type { AssetRegistry } from '../asset/asset-registry.ts';
import type { FailingChannel } from '../asset/failing-channels.ts';
import type { Clock } from '../../base/clock.ts';
import { NotShown } from '../../base/errors.ts';
import { holds, isVisible } from '../../security/identity/asset-rights.ts';
import type { AssetRights, NamedChannels } from '../../security/identity/asset-rights.ts';
import type { IdentityStore } from '../../security/identity/identity-store.ts';
import type { Identity, Principal } from '../../security/identity/identity.ts';
import { ASSETS_READ_PERMISSION, isPermitted } from '../../security/identity/permission.ts';
import { findCurrentIdentity } from '../../security/identity/current-identity.ts';
import { GrantedAsset } from './granted-asset.ts';
import type { MayRead } from './redact-write-record.ts';
import { RightsCache } from './rights-cache.ts';

/** An asset with its failing channels that the caller is allowed to read. */
export interface FailingAsset {
  /** Its pid. */
  readonly asset: string;
  /** One at least. */
  readonly channels: readonly FailingChannel[];
}

interface AssetAccessOptions {
  readonly registry: Pick<AssetRegistry, 'find' | 'get' | 'list'>;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly clock: Clock;
}

/**
 * Enforces access of callers to assets: nothing is read, written, listed or shown unless permissions and grants of the
 * caller allow it at that moment.
 */
export class AssetAccess {
  readonly #options: AssetAccessOptions;
  readonly #rights = new RightsCache();

  constructor(options: AssetAccessOptions) {
    this.#options = options;
  }

  /** Lists the assets with at least one channel that the caller may read or write, in configuration order. */
  list({ identity }: Principal): readonly Asset[] {
    return this.#options.registry.list().filter((asset) => isVisible(this.#rightsOf(identity, asset)));
  }

  /** Lists assets with failing channels that the caller may read; see `Asset.listFailing`. */
  listFailing(caller: Principal): readonly FailingAsset[] {
    return this.list(caller).flatMap(({ config: { pid: asset } }) => {
      const channels = this.open(caller, asset).listFailing();
      return channels.length === 0 ? [] : { asset, channels };
    });
  }

  /** Returns true if the caller may see every asset, and therefore every device. */
  mayReadAll({ identity }: Principal): boolean {
    return isPermitted(identity, ASSETS_READ_PERMISSION);
  }

  /**
   * Returns an asset restricted to the current rights of the caller.
   *
   * @throws {NotFound} `ASSET_UNKNOWN`
   * @throws {NotShown} `ASSET_NOT_GRANTED`, with the same message, if the caller has no access to it
   */
  open(caller: Principal, pid: string): GrantedAsset {
    const { registry, identities, clock } = this.#options;
    const { identity } = caller;
    const asset = registry.get(pid);
    const rights = this.#rightsOf(identity, asset);
    if (!isVisible(rights)) {
      throw new NotShown({ code: 'ASSET_NOT_GRANTED', detail: describeUnknownAsset(pid) });
    }
    const findRights = (): AssetRights | undefined => {
      const present = findCurrentIdentity(caller, identities);
      return present === undefined ? undefined : this.#rightsOf(present, asset);
    };
    const mayRead: MayRead = ({ asset: owner, channel }) => {
      const present = findCurrentIdentity(caller, identities);
      const found = registry.find(owner);
      return present !== undefined && found !== undefined && this.#mayRead(present, found, channel);
    };
    return new GrantedAsset(asset, { rights, findRights, requester: identity.id, mayRead, clock });
  }

  /** Returns true if the caller may currently read a channel. */
  mayRead({ identity }: Principal, asset: Asset, channel: string): boolean {
    return this.#mayRead(identity, asset, channel);
  }

  /**
   * Returns true if the caller may currently read what was recorded of a channel, also of one that is no longer configured.
   *
   * @param channel absent: any channel of the asset
   */
  mayReadRecorded({ identity }: Principal, pid: string, channel?: string): boolean {
    const config = this.#options.registry.find(pid)?.config;
    const rightsOf = (asset: NamedChannels): AssetRights =>
      this.#rights.rightsOf(identity, asset, this.#options.clock.epochMs());
    if (channel === undefined) {
      const { readable } = rightsOf(config ?? { pid, channels: [] });
      return readable === 'ALL' || readable.size > 0;
    }
    const isConfigured = config?.channels.some(({ name }) => name === channel) === true;
    return holds(rightsOf(isConfigured ? config : { pid, channels: [{ name: channel }] }).readable, channel);
  }

  #mayRead(identity: Identity, asset: Asset, channel: string): boolean {
    return holds(this.#rightsOf(identity, asset).readable, channel);
  }

  #rightsOf(identity: Identity, { config }: Asset): AssetRights {
    return this.#rights.rightsOf(identity, config, this.#options.clock.epochMs());
  }
}
