import { z } from '../../base/schema.ts';
import { CHANNEL_TYPES, SCALE_OFFSET_TYPES } from '../../channel/channel.ts';
import { DEVICE_ACCESSES } from '../../channel/access-reporting-driver.ts';
import { QUALITIES } from '../../channel/quality.ts';
import { VALUE_TYPES } from '../../channel/value-type.ts';
import { DONE_WRITE_OUTCOMES, FAILED_WRITE_OUTCOMES } from '../../channel/write-outcome.ts';
import { channelStatus, channelValue } from './channel-value.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { listParameter } from '../query-parameter.ts';
import { conditionSchema, verifySchema, writeTermsSchema } from '../../channel/write-terms.ts';

const { onlyIf, verify } = writeTermsSchema.shape;

/** The terms of writes as records of the description, each with a name. */
const writeTermsRecord = writeTermsSchema
  .extend({
    verify: verifySchema
      .meta({ id: 'WriteVerification' })
      .optional()
      .describe(verify.description ?? ''),
    onlyIf: conditionSchema
      .meta({ id: 'WriteCondition' })
      .array()
      .optional()
      .describe(onlyIf.description ?? ''),
    hiddenConditions: z
      .int()
      .optional()
      .describe('Conditions on channels that the caller may not read, which are not shown'),
  })
  .meta({ id: 'WriteTerms' });

const MAXIMUM_BYTES = 1_048_576;
const MAXIMUM_NAMES = 10_000;

/** Maximum number of elements of one write. */
export const MAXIMUM_WRITES = 1000;

/** A query parameter: names of channels. */
export const channelsParameter = listParameter('expected names of channels with commas between them');

/** A query that selects channels. */
export const channelsQuery = z.object({ channels: channelsParameter });

/** Creates the schema of a list, which is counted first: one that is too long costs no look at its elements. */
function boundedList<T extends z.ZodType>(element: T, maximum: number, what: string) {
  return z.preprocess((list: z.input<T>[], context) => {
    if (!Array.isArray(list) || list.length <= maximum) return list;
    context.addIssue(`expected at most ${maximum} ${what}`);
    return z.NEVER;
  }, z.array(element).max(maximum));
}

// Other members of a body are ignored, as clients of Kura expect.
const readRequest = z
  .object({ channels: boundedList(z.string(), MAXIMUM_NAMES, 'names') })
  .meta({ id: 'ReadRequest' });

const channelWrite = z
  .object({
    name: z.string(),
    type: z.enum(VALUE_TYPES),
    value: channelValue,
    ifValue: channelValue
      .optional()
      .describe('The value that the channel has to hold for the write to be sent'),
  })
  .meta({ id: 'ChannelWrite' });
// Ignored like other members, each would leave a write without what its sender relies on.
const SAFEGUARDS: ReadonlyMap<string, string> = new Map([
  ['dryrun', 'a dry run is asked for in the query: ?dryRun=true'],
  ['ifvalue', 'a condition on the present value is ifValue in an element of channels'],
  ['onlyif', 'conditions on other channels are part of the configuration: write.onlyIf'],
  ['verify', 'reading back is part of the configuration: write.verify'],
]);

function refuseMisplacedSafeguards(body: unknown, context: z.core.$RefinementCtx): unknown {
  const check = (value: unknown, place: readonly (string | number)[]): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const name of Object.keys(value)) {
      const message = SAFEGUARDS.get(name.toLowerCase());
      if (message === undefined || (name === 'ifValue' && place.length > 0)) continue;
      context.addIssue({ code: 'custom', message, path: [...place, name] });
    }
  };
  check(body, []);
  const { channels } = (body ?? {}) as { readonly channels?: unknown };
  if (Array.isArray(channels) && channels.length <= MAXIMUM_WRITES) {
    for (const [index, element] of channels.entries()) check(element, ['channels', index]);
  }
  return body;
}

const writeRequest = z
  .preprocess(
    refuseMisplacedSafeguards,
    z.object({ channels: boundedList(channelWrite, MAXIMUM_WRITES, 'elements') }),
  )
  .meta({ id: 'WriteRequest' });

const channelRecord = z
  .strictObject({
    name: z.string(),
    type: z.enum(CHANNEL_TYPES),
    valueType: z.enum(VALUE_TYPES),
    scaleOffsetType: z.enum(SCALE_OFFSET_TYPES),
    valueScale: z.number(),
    valueOffset: z.number(),
    unit: z.string().optional(),
    displayName: z.string().optional(),
    description: z.string().optional(),
    isEnabled: z.boolean(),
    write: writeTermsRecord.optional(),
    deviceAccess: z
      .enum(DEVICE_ACCESSES)
      .optional()
      .describe(
        'What the device lets the gateway do with the value, by its own word; absent while it has told nothing',
      ),
  })
  .meta({ id: 'ChannelRecord' });

export const resultRecord = z
  .strictObject({
    channelStatus,
    name: z.string(),
    valueType: z.enum(VALUE_TYPES).optional(),
    value: channelValue.optional(),
    timestamp: z.int(),
    unit: z.string().optional(),
    quality: z.enum(QUALITIES).optional().describe('Of the value that was read; absent after a write'),
    statusCode: z
      .string()
      .optional()
      .describe('Status that the device gave, else the code of the failure; absent when there is neither'),
  })
  .meta({ id: 'ResultRecord' });
const writeResultRecord = resultRecord
  .extend({
    outcome: z
      .enum([...DONE_WRITE_OUTCOMES, ...FAILED_WRITE_OUTCOMES])
      .optional()
      .describe('What became of the write; absent of a trial in which it would be sent'),
    requestedValue: channelValue
      .optional()
      .describe('The value of the request, where "value", the one that is sent, is another one'),
    readBack: channelValue
      .optional()
      .describe('The value that the channel holds after the write, where it was read back'),
    dryRun: z.literal(true).optional().describe('Nothing was sent: the record tells what would happen'),
  })
  .meta({ id: 'WriteResultRecord' });

/** Lists the pids of the assets, in the order of the configuration. */
export const listAssets = endpoint({
  method: 'GET',
  path: '/services/assets',
  isOfSpecification: true,
  summary: 'Lists the pids of the assets',
  access: 'rest.assets.read',
  isStatus: true,
  response: { status: 200, schema: z.array(z.string()) },
});

/** Lists the channels of an asset. */
export const listChannels = endpoint({
  method: 'GET',
  path: '/services/assets/:pid',
  isOfSpecification: true,
  summary: 'Lists the channels of an asset',
  access: 'rest.assets.read',
  isStatus: true,
  response: { status: 200, schema: z.array(channelRecord) },
});

/** Reads every channel that can be read, or those named in the query. */
export const readAsset = endpoint({
  method: 'GET',
  path: '/services/assets/:pid/_read',
  isOfSpecification: true,
  summary: 'Reads every channel of an asset that can be read, or those named in the query',
  access: 'rest.assets.read',
  query: channelsQuery,
  response: { status: 200, schema: z.array(resultRecord) },
});

/** Reads the channels named in the body. */
export const readChannels = endpoint({
  method: 'POST',
  path: '/services/assets/:pid/_read',
  isOfSpecification: true,
  summary: 'Reads the channels named in the body',
  access: 'rest.assets.read',
  request: jsonBody(readRequest, MAXIMUM_BYTES),
  response: { status: 200, schema: z.array(resultRecord) },
});

/** Writes values, or says what would happen. */
export const writeChannels = endpoint({
  method: 'POST',
  path: '/services/assets/:pid/_write',
  isOfSpecification: true,
  summary: 'Writes the values in the body, in order',
  access: 'rest.assets',
  audit: 'CHANNEL_WRITE',
  auditOfTrial: 'CHANNEL_WRITE_TRIED',
  isKeyed: true,
  query: z.object({ dryRun: z.enum(['true', 'false']).optional() }),
  request: { ...jsonBody(writeRequest, MAXIMUM_BYTES), keepsNumbers: true },
  response: { status: 200, schema: z.array(writeResultRecord) },
});

export type ChannelRecord = Shape<typeof channelRecord>;
export type ResultRecord = Shape<typeof resultRecord>;
export type WriteResultRecord = Shape<typeof writeResultRecord>;
