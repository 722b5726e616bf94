import type { SliceClock } from '../../../base/slices.ts';
import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { GrantedAsset } from '../../../plant/access/granted-asset.ts';
import { findVisibleDevices, findUsedUnits } from '../../../plant/access/visible-devices.ts';
import type { AssetRegistry, ConfiguredConnection } from '../../../plant/asset/asset-registry.ts';
import type { Principal } from '../../../security/identity/identity.ts';
import { labelOf } from '../../../channel/label.ts';
import { ok, okForEach } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import { splitList } from '../../http/query.ts';
import type { Route } from '../../http/route.ts';
import { listAssetStatus, readAssetStatus } from '../../../interface/plant/asset-status.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import { callerOf } from '../caller.ts';
import { toConnectionInfo } from './connection-json.ts';

interface AssetStatusRouteParts {
  readonly access: AssetAccess;
  readonly registry: Pick<AssetRegistry, 'getConnection' | 'listWarnings'>;
  readonly clock: SliceClock;
}

/** An asset of the caller, with the connection that serves it. */
interface OpenedAsset {
  readonly granted: GrantedAsset;
  readonly configured: ConfiguredConnection;
}

/** Creates the endpoints for the state of the connections and devices of assets, without requests to devices. */
export function createAssetStatusRoutes({
  access,
  registry,
  clock,
}: AssetStatusRouteParts): readonly Route[] {
  const open = (caller: Principal, pid: string): OpenedAsset => {
    const granted = access.open(caller, pid);
    return { granted, configured: registry.getConnection(granted.asset) };
  };
  return [
    // Before those of one asset: no pid begins with an underscore.
    implement(listAssetStatus, ({ principal, query }) => {
      const caller = callerOf({ principal });
      const pids =
        splitList('assets', query.assets, 'a pid') ?? access.list(caller).map(({ config }) => config.pid);
      const known = findVisibleDevices(access, caller);
      // Before the first slice: a change of the configuration may remove assets while the states are described.
      const opened = [...new Set(pids)].map((pid) => open(caller, pid));
      const describe = (asset: OpenedAsset) => {
        const { granted } = asset;
        const head = { asset: granted.asset.config.pid, channels: granted.listChannels().length };
        return Object.assign(head, describeState(asset, known, registry));
      };
      return okForEach(opened, describe, clock);
    }),
    implement(readAssetStatus, ({ principal, parameters: { pid } }) => {
      const caller = callerOf({ principal });
      return ok(describeState(open(caller, pid), findVisibleDevices(access, caller), registry));
    }),
  ];
}

/** Returns the state of what lies behind an asset, as far as the caller may know of it. */
function describeState(
  { granted, configured }: OpenedAsset,
  known: ReturnType<typeof findVisibleDevices>,
  registry: AssetStatusRouteParts['registry'],
): ResultOf<typeof readAssetStatus> {
  const { asset } = granted;
  const status = asset.connection.status();
  const info = toConnectionInfo(configured, {
    status: { ...status, units: status.units.filter(({ name }) => known.hasUnit(asset, name)) },
    warnings: registry.listWarnings(configured, known.hasDriver),
    listening: asset.subscriptionStatus(),
    failing: granted.listFailing(),
    isUsed: findUsedUnits([granted]),
  });
  return { ...labelOf(asset.config), ...info };
}
