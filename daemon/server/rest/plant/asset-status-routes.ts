import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { GrantedAsset } from '../../../plant/access/granted-asset.ts';
import { findVisibleDevices, findUsedUnits } from '../../../plant/access/visible-devices.ts';
import type { AssetRegistry } from '../../../plant/asset/asset-registry.ts';
import type { Clock } from '../../../base/clock.ts';
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
  readonly clock: Pick<Clock, 'monotonicMs' | 'nextTurn'>;
}

/** Creates the endpoints for the state of the connections and devices of assets, without requests to devices. */
export function createAssetStatusRoutes({
  access,
  registry,
  clock,
}: AssetStatusRouteParts): readonly Route[] {
  return [
    // Before those of one asset: no pid begins with an underscore.
    implement(listAssetStatus, ({ principal, query }) => {
      const caller = callerOf({ principal });
      const pids =
        splitList('assets', query.assets, 'a pid') ?? access.list(caller).map(({ config }) => config.pid);
      const known = findVisibleDevices(access, caller);
      const describe = (asset: string) => {
        const granted = access.open(caller, asset);
        const channels = granted.listChannels().length;
        return Object.assign({ asset, channels }, describeState(granted, known, registry));
      };
      return okForEach(new Set(pids), describe, clock);
    }),
    implement(readAssetStatus, ({ principal, parameters: { pid } }) => {
      const caller = callerOf({ principal });
      return ok(describeState(access.open(caller, pid), findVisibleDevices(access, caller), registry));
    }),
  ];
}

/** Returns the state of what lies behind an asset, as far as the caller may know of it. */
function describeState(
  granted: GrantedAsset,
  known: ReturnType<typeof findVisibleDevices>,
  registry: AssetStatusRouteParts['registry'],
): ResultOf<typeof readAssetStatus> {
  const { asset } = granted;
  const configured = registry.getConnection(asset);
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
