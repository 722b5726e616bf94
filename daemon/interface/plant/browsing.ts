import { z } from '../../base/schema.ts';
import { CHANNEL_TYPES } from '../../channel/channel.ts';
import { VALUE_TYPES } from '../../channel/value-type.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { faultReason } from '../failure.ts';
import { integerParameter } from '../query-parameter.ts';

const DEFAULT_LIMIT = 200;
const MAXIMUM_LIMIT = 1000;
// Each page reads the list from its beginning up to this position.
const MAXIMUM_POSITION = 100_000;

const browseQuery = z.object({
  node: z.string().min(1).max(8192).optional().describe('Node whose children are listed'),
  from: integerParameter(0, MAXIMUM_POSITION)
    .default(0)
    .describe('Position of the first child: `next` of the previous page'),
  limit: integerParameter(1, MAXIMUM_LIMIT).default(DEFAULT_LIMIT).describe('Maximum nodes of the response'),
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
    dimensions: z.int().min(0).optional().describe('0: scalar; absent: the device does not define it'),
    arrayDimensions: z.array(z.int().min(0)).optional().describe('Length of each dimension; 0: variable'),
    isReadable: z.boolean(),
    isWritable: z.boolean(),
    unit: z.string().optional(),
    range: valueRange.optional(),
    channel: offeredChannel.optional().describe('Channel for the value, without a name'),
    refusal: z.string().optional().describe('Reason why no channel can carry the value'),
    refusalReasons: z.array(faultReason).optional().describe('The reason by code, with its values'),
  })
  .meta({ id: 'BrowsedVariable' });
const browsedNode = z
  .strictObject({
    node: z.string().optional().describe('Node as written in an address; absent: not addressable'),
    browseName: z.string(),
    displayName: z.string(),
    nodeClass: z.string(),
    reference: z.string(),
    description: z.string().optional(),
    isParent: z.boolean().describe('True if nodes below it may have values'),
    variable: variable.optional(),
  })
  .meta({ id: 'BrowsedNode' });
const browsePage = z
  .strictObject({
    nodes: z.array(browsedNode),
    next: z.int().optional().describe('Position of the next page; absent on the last page'),
  })
  .meta({ id: 'BrowsePage' });

/** Lists nodes of a device. */
export const browseDevice = endpoint({
  method: 'GET',
  path: '/services/drivers/v1/:pid/_browse',
  summary: 'Lists the children of a node of a device',
  access: 'rest.configuration',
  query: browseQuery,
  isCompressible: true,
  response: { status: 200, schema: browsePage },
  refusals: [502],
});

export type BrowsedNode = Shape<typeof browsedNode>;
export type BrowsePage = Shape<typeof browsePage>;
