import { z } from '../../base/schema.ts';
import { CHANNEL_TYPES, SCALE_OFFSET_TYPES } from '../../channel/channel.ts';
import { SCALE_KINDS } from '../../channel/scale/scale-from.ts';
import { DEVICE_ACCESSES } from '../../channel/access-reporting-driver.ts';
import { QUALITIES } from '../../channel/quality.ts';
import { VALUE_TYPES } from '../../channel/value-type.ts';
import { DONE_WRITE_OUTCOMES, FAILED_WRITE_OUTCOMES } from '../../channel/write-outcome.ts';
import { channelStatus, channelValue } from './channel-value.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import { faultReasons } from '../failure.ts';
import type { Shape } from '../endpoint.ts';
import { listParameter } from '../query-parameter.ts';
import { conditionSchema, verifySchema, writeTermsSchema } from '../../channel/write-terms.ts';

const { onlyIf, verify } = writeTermsSchema.shape;

/** Write terms as named schemas of the OpenAPI description. */
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
      .describe('Number of conditions that are not shown because the caller may not read their channels'),
  })
  .meta({ id: 'WriteTerms' });

const MAXIMUM_BYTES = 1_048_576;
const MAXIMUM_NAMES = 10_000;

/** Maximum elements of one write. */
export const MAXIMUM_WRITES = 1000;

/** Query parameter with channel names. */
export const channelsParameter = listParameter('channel names');

/** Query that selects channels. */
export const channelsQuery = z.object({ channels: channelsParameter });

/** Query parameter that adds the names of values. */
export const labelsParameter = z
  .enum(['true', 'false'])
  .optional()
  .describe('true: records have "label", the name of their value, if it has one');

/** Creates a list schema that checks the length first, so that the elements of an oversized list are not parsed. */
function boundedList<T extends z.ZodType>(element: T, maximum: number, what: string) {
  return z.preprocess((list: z.input<T>[], context) => {
    if (!Array.isArray(list) || list.length <= maximum) return list;
    context.addIssue(`expected at most ${maximum} ${what}`);
    return z.NEVER;
  }, z.array(element).max(maximum));
}

// Unknown members of a body are ignored, as Kura clients expect.
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
      .describe('Required current value of the channel; otherwise the write is not sent'),
  })
  .meta({ id: 'ChannelWrite' });
// If these were ignored like unknown members, a write would lose a safeguard that its sender relies on.
const SAFEGUARDS: ReadonlyMap<string, string> = new Map([
  ['dryrun', 'a dry run must be requested in the query: ?dryRun=true'],
  ['ifvalue', 'set a condition on the current value with ifValue in an element of channels'],
  ['onlyif', 'set conditions on other channels in the configuration: write.onlyIf'],
  ['verify', 'set read-back in the configuration: write.verify'],
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
    scaleFrom: z
      .strictObject({ channel: z.string().optional(), kind: z.enum(SCALE_KINDS) })
      .meta({ id: 'ScaleRecord' })
      .optional()
      .describe('Scale that the device provides; without channel: at an address'),
    unit: z.string().optional(),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Names of values, by value; a write accepts them as well'),
    displayName: z.string().optional(),
    description: z.string().optional(),
    isEnabled: z.boolean(),
    write: writeTermsRecord.optional(),
    deviceAccess: z
      .enum(DEVICE_ACCESSES)
      .optional()
      .describe('Access that the device itself reports for the value; absent until it has reported it'),
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
    label: z.string().optional().describe('Name of the value; with ?labels=true if it has one'),
    quality: z.enum(QUALITIES).optional().describe('Quality of the read value; absent after a write'),
    statusCode: z
      .string()
      .optional()
      .describe('Status reported by the device, otherwise the failure code; absent if there is neither'),
    reasons: faultReasons,
  })
  .meta({ id: 'ResultRecord' });
const writeResultRecord = resultRecord
  .extend({
    outcome: z
      .enum([...DONE_WRITE_OUTCOMES, ...FAILED_WRITE_OUTCOMES])
      .optional()
      .describe('Outcome of the write; absent in a dry run if the write would be sent'),
    requestedValue: channelValue
      .optional()
      .describe('Requested value, if it differs from "value", which was sent, or returned by the device'),
    wholeStructure: z
      .literal(true)
      .optional()
      .describe('The value is one field, and the write replaced its whole structure'),
    readBack: channelValue.optional().describe('Value of the channel after the write, if it was read back'),
    dryRun: z.literal(true).optional().describe('Nothing was sent; the record shows what would happen'),
  })
  .meta({ id: 'WriteResultRecord' });

/** Lists the asset pids, in configuration order. */
export const listAssets = endpoint({
  method: 'GET',
  path: '/services/assets',
  isOfSpecification: true,
  summary: 'Lists the pids of the assets',
  access: 'rest.assets.read',
  isStatus: true,
  isCompressible: true,
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
  isCompressible: true,
  response: { status: 200, schema: z.array(channelRecord) },
});

/** Reads all readable channels, or the channels named in the query. */
export const readAsset = endpoint({
  method: 'GET',
  path: '/services/assets/:pid/_read',
  isOfSpecification: true,
  summary: 'Reads all readable channels of an asset, or the channels named in the query',
  access: 'rest.assets.read',
  query: channelsQuery.extend({ labels: labelsParameter }),
  isCompressible: true,
  response: { status: 200, schema: z.array(resultRecord) },
});

/** Reads the channels named in the body. */
export const readChannels = endpoint({
  method: 'POST',
  path: '/services/assets/:pid/_read',
  isOfSpecification: true,
  summary: 'Reads the channels named in the body',
  access: 'rest.assets.read',
  query: z.object({ labels: labelsParameter }),
  request: jsonBody(readRequest, MAXIMUM_BYTES),
  isCompressible: true,
  response: { status: 200, schema: z.array(resultRecord) },
});

/** Writes values, or evaluates the write in a dry run. */
export const writeChannels = endpoint({
  method: 'POST',
  path: '/services/assets/:pid/_write',
  isOfSpecification: true,
  summary: 'Writes the values in the body, in order',
  access: 'rest.assets',
  audit: 'CHANNEL_WRITE',
  auditOfTrial: 'CHANNEL_WRITE_TRIED',
  isKeyed: true,
  query: z.object({
    dryRun: z
      .enum(['true', 'false'])
      .optional()
      .describe('true: checks the write and sends nothing to the device'),
    labels: labelsParameter,
  }),
  request: { ...jsonBody(writeRequest, MAXIMUM_BYTES), keepsNumbers: true },
  response: { status: 200, schema: z.array(writeResultRecord) },
});

export type ChannelRecord = Shape<typeof channelRecord>;
export type ResultRecord = Shape<typeof resultRecord>;
export type WriteResultRecord = Shape<typeof writeResultRecord>;
