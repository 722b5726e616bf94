import type { AssetRegistry } from '../asset/asset-registry.ts';
import { InvalidRequest } from '../base/errors.ts';
import { z } from '../base/schema.ts';
import { isBrowsing } from '../channel/browsing-driver.ts';
import type { BrowsedNode, BrowsePage } from '../channel/browsing-driver.ts';
import { CHANNEL_TYPES } from '../channel/channel.ts';
import { VALUE_TYPES } from '../channel/value-type.ts';
import { ok } from '../http/answer.ts';
import { readQuery } from '../http/query.ts';
import { integerParameter } from '../interface/query-parameter.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import { refuseForDevice } from './device-refusal.ts';

const DEFAULT_LIMIT = 200;
const MAXIMUM_LIMIT = 1000;
// As far as a list is read from its beginning for each page.
const MAXIMUM_POSITION = 100_000;

const browseQuery = z.object({
  node: z.string().min(1).max(8192).optional().describe('The node whose children are listed'),
  from: integerParameter(0, MAXIMUM_POSITION)
    .default(0)
    .describe('Position of the first one: `next` of the page before'),
  limit: integerParameter(1, MAXIMUM_LIMIT).default(DEFAULT_LIMIT).describe('Most nodes of the answer'),
});

const valueRange = z.strictObject({ low: z.number(), high: z.number() }).meta({ id: 'ValueRange' });
const offeredChannel = z
  .strictObject({
    type: z.enum(CHANNEL_TYPES),
    valueType: z.enum(VALUE_TYPES),
    unit: z.string().optional(),
    address: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'OfferedChannel' });
const variable = z
  .strictObject({
    dataType: z.string(),
    dimensions: z.int().min(0).optional().describe('0 for one value; absent when the device leaves it open'),
    arrayDimensions: z
      .array(z.int().min(0))
      .optional()
      .describe('Length of each dimension; 0 where it varies'),
    isReadable: z.boolean(),
    isWritable: z.boolean(),
    unit: z.string().optional(),
    range: valueRange.optional(),
    channel: offeredChannel.optional().describe('The channel that carries the value, but for its name'),
    refusal: z.string().optional().describe('Why no channel can carry the value'),
  })
  .meta({ id: 'BrowsedVariable' });
const browsedNode = z
  .strictObject({
    node: z.string().optional().describe('The node as an address names it; absent when none can'),
    browseName: z.string(),
    displayName: z.string(),
    nodeClass: z.string(),
    reference: z.string(),
    description: z.string().optional(),
    isParent: z.boolean().describe('Whether nodes below it may have values'),
    variable: variable.optional(),
  })
  .meta({ id: 'BrowsedNode' });
const browsePage = z
  .strictObject({
    nodes: z.array(browsedNode),
    next: z.int().optional().describe('Position at which the next page begins; absent on the last one'),
  })
  .meta({ id: 'BrowsePage' });

/** Creates the endpoint that lists what a device shows. */
export function createBrowseRoutes(registry: AssetRegistry): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/services/drivers/v1/:pid/_browse',
      summary: 'Lists the children of a node in the tree of a device',
      access: 'rest.configuration',
      query: browseQuery,
      response: { status: 200, schema: browsePage },
      refusals: [502],
      async handle({ parameters: { pid = '' }, request }) {
        const { node, from, limit } = readQuery(request, browseQuery);
        const { config, connection } = registry.getConfigured(pid);
        const driver = connection.find(isBrowsing);
        if (driver === undefined) {
          const detail = `devices of the kind "${config.type}" do not show what they have`;
          throw new InvalidRequest({ code: 'BROWSE_UNSUPPORTED', detail });
        }
        const page = await refuseForDevice<BrowsePage>(async () => {
          const outcome = await connection.call((signal) => driver.browse({ node, from, limit, signal }));
          if (!('failure' in outcome) || outcome.isNodeInvalid !== true) return outcome;
          const { code, message: detail } = outcome.failure;
          throw new InvalidRequest({ code, detail });
        });
        return ok({ nodes: page.nodes.map(toJson), next: page.next });
      },
    }),
  ];
}

function toJson({ variable: described, ...node }: BrowsedNode): z.infer<typeof browsedNode> {
  if (described === undefined) return node;
  const { arrayDimensions, channel, ...others } = described;
  return {
    ...node,
    variable: {
      ...others,
      arrayDimensions: arrayDimensions === undefined ? undefined : [...arrayDimensions],
      channel: channel === undefined ? undefined : { ...channel, address: { ...channel.address } },
    },
  };
}
