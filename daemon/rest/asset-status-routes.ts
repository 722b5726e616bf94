import type { AssetAccess } from '../access/asset-access.ts';
import type { GrantedAsset } from '../access/granted-asset.ts';
import { findKnownDevices, findUsedUnits } from '../access/known-devices.ts';
import type { AssetRegistry } from '../asset/asset-registry.ts';
import { z } from '../base/schema.ts';
import { labelOf } from '../channel/label.ts';
import { ok } from '../http/answer.ts';
import { createQueryRefusal, readQuery } from '../http/query.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import { ASSETS_READ_PERMISSION } from '../identity/permission.ts';
import { callerOf } from './caller.ts';
import { connectionInfo, toConnectionInfo } from './connection-json.ts';

const ROOT = '/services/assets';

const statusQuery = z.object({
  assets: z.string().min(1, 'expected pids of assets with commas between them').optional(),
});
const listedStatus = connectionInfo
  .extend({
    asset: z.string().describe('Its pid'),
    channels: z.int().describe('Number of its channels that the caller may use'),
  })
  .meta({ id: 'ListedAssetStatus' });

interface AssetStatusRouteParts {
  readonly access: AssetAccess;
  readonly registry: Pick<AssetRegistry, 'getConnection' | 'listWarnings'>;
}

/** Creates the endpoints that show the state of the connections and devices behind assets; no device is asked. */
export function createAssetStatusRoutes({ access, registry }: AssetStatusRouteParts): readonly Route[] {
  return [
    // Before those of one asset: no pid begins with an underscore.
    defineRoute({
      method: 'GET',
      path: `${ROOT}/_status`,
      summary: 'Shows the state of the connections and devices behind several assets, or all',
      access: ASSETS_READ_PERMISSION,
      query: statusQuery,
      response: { status: 200, schema: z.array(listedStatus) },
      handle(context) {
        const caller = callerOf(context);
        const { assets } = readQuery(context.request, statusQuery);
        const pids = assets?.split(',') ?? access.list(caller).map(({ config }) => config.pid);
        if (pids.includes('')) throw createQueryRefusal('"assets": a pid is empty');
        const known = findKnownDevices(access, caller);
        return ok(
          [...new Set(pids)].map((asset) => {
            const granted = access.open(caller, asset);
            const channels = granted.listChannels().length;
            return Object.assign({ asset, channels }, describeState(granted, known, registry));
          }),
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/:pid/_status`,
      summary: 'Shows the state of the connection and devices behind an asset',
      access: ASSETS_READ_PERMISSION,
      response: { status: 200, schema: connectionInfo },
      handle(context) {
        const caller = callerOf(context);
        const granted = access.open(caller, context.parameters['pid'] ?? '');
        return ok(describeState(granted, findKnownDevices(access, caller), registry));
      },
    }),
  ];
}

/** Returns the state of what lies behind an asset, as far as the caller may know of it. */
function describeState(
  granted: GrantedAsset,
  known: ReturnType<typeof findKnownDevices>,
  registry: AssetStatusRouteParts['registry'],
): Readonly<Record<string, unknown>> {
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
