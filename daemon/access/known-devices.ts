import type { Asset } from '../asset/asset.ts';
import type { Principal } from '../identity/identity.ts';
import type { AssetAccess } from './asset-access.ts';
import type { GrantedAsset } from './granted-asset.ts';

/** What a caller may know of connections and devices. */
interface KnownDevices {
  /** By its pid. */
  readonly hasDriver: (driver: string) => boolean;
  /** By its name. */
  readonly hasUnit: (unit: string) => boolean;
}

/** Returns what a caller may know of the devices near those of an asset: what serves an asset that it may use. */
export function findKnownDevices(
  access: AssetAccess,
  caller: Principal,
  { connection }: Asset,
): KnownDevices {
  if (access.mayReadAll(caller)) return { hasDriver: () => true, hasUnit: () => true };
  const assets = access.list(caller);
  const drivers = new Set(assets.map(({ config }) => config.driver));
  const served = assets.filter((asset) => asset.connection === connection);
  return {
    hasDriver: (pid) => drivers.has(pid),
    hasUnit: findUsedUnits(served.map(({ config }) => access.open(caller, config.pid))),
  };
}

/** Returns whether a channel that a caller may use lies on a device; all do where the driver tells no devices apart. */
export function findUsedUnits(assets: readonly GrantedAsset[]): (unit: string) => boolean {
  const used = new Set(
    assets.flatMap((granted) =>
      granted.listChannels().map((channel) => granted.asset.connection.unitOf(channel)),
    ),
  );
  return (unit) => used.has(unit) || used.has(undefined);
}
