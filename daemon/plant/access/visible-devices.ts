import type { Asset } from '../asset/asset.ts';
import type { Principal } from '../../security/identity/identity.ts';
import type { AssetAccess } from './asset-access.ts';
import type { GrantedAsset } from './granted-asset.ts';

/** Connections and devices that a caller may see. */
interface VisibleDevices {
  /** By its pid. */
  readonly hasDriver: (driver: string) => boolean;
  /** By its name, on the connection of an asset. */
  readonly hasUnit: (asset: Asset, unit: string) => boolean;
}

/** Returns the connections and devices that a caller may see: those that serve its assets at the moment of the call. */
export function findVisibleDevices(access: AssetAccess, caller: Principal): VisibleDevices {
  if (access.mayReadAll(caller)) return { hasDriver: () => true, hasUnit: () => true };
  const opened = access.list(caller).map(({ config }) => access.open(caller, config.pid));
  const served = Map.groupBy(opened, ({ asset }) => asset.connection);
  const drivers = new Set(opened.map(({ asset }) => asset.config.driver));
  const units = new Map<Asset['connection'], (unit: string) => boolean>();
  return {
    hasDriver: (pid) => drivers.has(pid),
    hasUnit({ connection }, unit) {
      const isUsed = units.get(connection) ?? findUsedUnits(served.get(connection) ?? []);
      units.set(connection, isUsed);
      return isUsed(unit);
    },
  };
}

/** Returns a check for devices with a channel that the caller may use; true for all devices if the driver does not distinguish them. */
export function findUsedUnits(assets: readonly GrantedAsset[]): (unit: string) => boolean {
  const used = new Set(
    assets.flatMap((granted) =>
      granted.listChannels().map((channel) => granted.asset.connection.unitOf(channel)),
    ),
  );
  return (unit) => used.has(unit) || used.has(undefined);
}
