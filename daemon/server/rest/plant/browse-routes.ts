import type { AssetRegistry } from '../../../plant/asset/asset-registry.ts';
import { InvalidRequest } from '../../../base/errors.ts';
import { isBrowsing } from '../../../channel/browsing-driver.ts';
import type { BrowsedNode, BrowsedVariable, BrowsePage } from '../../../channel/browsing-driver.ts';
import { ok } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import { browseDevice } from '../../../interface/plant/browsing.ts';
import { refuseForDevice } from './device-refusal.ts';

/** Creates the endpoint that lists what a device shows. */
export function createBrowseRoutes(registry: AssetRegistry): readonly Route[] {
  return [
    implement(browseDevice, async ({ parameters: { pid }, query: { node, from, limit } }) => {
      const { config, connection } = registry.getConfigured(pid);
      const driver = connection.find(isBrowsing);
      if (driver === undefined) {
        const detail = `driver type "${config.type}" does not support browsing`;
        throw new InvalidRequest({ code: 'BROWSE_UNSUPPORTED', detail });
      }
      const { nodes, next } = await refuseForDevice<BrowsePage>(async () => {
        const outcome = await connection.call((signal) => driver.browse({ node, from, limit, signal }));
        if (!('failure' in outcome) || outcome.isNodeInvalid !== true) return outcome;
        const { code, message: detail } = outcome.failure;
        throw new InvalidRequest({ code, detail });
      });
      return ok({ nodes: nodes.map(showNode), next });
    }),
  ];
}

function showNode({ variable, ...node }: BrowsedNode): ResultOf<typeof browseDevice>['nodes'][number] {
  return { ...node, variable: variable && showVariable(variable) };
}

function showVariable({ refusal, ...variable }: BrowsedVariable) {
  if (refusal === undefined) return variable;
  const { code, parameters, message } = refusal;
  return { ...variable, refusal: message, refusalReasons: [{ code, parameters }] };
}
