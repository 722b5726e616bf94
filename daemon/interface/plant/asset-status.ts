import { z } from '../../base/schema.ts';
import { driverStatus } from './drivers.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const time = z.int().describe('Milliseconds since the epoch');

const silentAddress = z
  .strictObject({
    address: z.string(),
    operation: z.enum(['READ', 'WRITE']),
    since: time,
    nextAttemptAt: time,
  })
  .meta({ id: 'SilentAddress' });

const requestLimit = z
  .strictObject({
    kind: z.string().describe('What is requested, for example HOLDING_REGISTERS'),
    maximumQuantity: z.int().describe('Most of them in one request that the device answered'),
  })
  .meta({ id: 'RequestLimit' });

const unitStatus = z
  .strictObject({
    name: z.string(),
    state: z.enum(['UNKNOWN', 'ANSWERING', 'SUSPENDED']),
    isUsed: z
      .boolean()
      .describe('A channel of the asset lies there; otherwise it is another device of the line'),
    lastError: z.string().optional(),
    lastErrorAt: time.optional(),
    silentSince: time.optional().describe('Of a suspended unit: the first of its silences'),
    nextProbeAt: time.optional(),
    silentAddresses: z.array(silentAddress).optional(),
    requestLimits: z
      .array(requestLimit)
      .optional()
      .describe('The requests that had to become shorter for the device'),
    counters: z.record(z.string(), z.int()),
  })
  .meta({ id: 'UnitStatus' });

const listeningStatus = z
  .strictObject({
    mode: z.enum(['POLL', 'SUBSCRIBE']),
    isActive: z.boolean(),
    listeners: z.int(),
    channels: z.int(),
    intervalMs: z.int().optional(),
  })
  .meta({ id: 'ListeningStatus' });

const failingChannel = z
  .strictObject({ name: z.string(), since: time, statusCode: z.string(), message: z.string() })
  .meta({ id: 'FailingChannel' });
const failingChannels = z
  .strictObject({
    count: z.int(),
    since: time.describe('First failure of the channel that has failed longest'),
    first: z.array(failingChannel).describe('At most three, in the order of the configuration'),
  })
  .meta({ id: 'FailingChannels' });

const assetStatus = z
  .strictObject({
    displayName: z.string().optional().describe('Of the asset'),
    description: z.string().optional().describe('Of the asset'),
    driver: driverStatus,
    units: z.array(unitStatus),
    listening: listeningStatus.optional(),
    failingChannels: failingChannels
      .optional()
      .describe('Channels whose newest read by any client gave no value, although their device is there'),
  })
  .meta({ id: 'AssetStatus' });

const listedStatus = assetStatus
  .extend({
    asset: z.string().describe('Its pid'),
    channels: z.int().describe('Number of its channels that the caller may use'),
  })
  .meta({ id: 'ListedAssetStatus' });

/** Shows the state behind several assets. */
export const listAssetStatus = endpoint({
  method: 'GET',
  path: '/services/assets/_status',
  summary: 'Shows the state of the connections and devices behind several assets, or all',
  access: 'rest.assets.read',
  query: z.object({
    assets: z.string().min(1, 'expected pids of assets with commas between them').optional(),
  }),
  isStatus: true,
  response: { status: 200, schema: z.array(listedStatus) },
});

/** Shows the state behind an asset. */
export const readAssetStatus = endpoint({
  method: 'GET',
  path: '/services/assets/:pid/_status',
  summary: 'Shows the state of the connection and devices behind an asset',
  access: 'rest.assets.read',
  isStatus: true,
  response: { status: 200, schema: assetStatus },
});

export type AssetStatus = Shape<typeof assetStatus>;
export type FailingChannels = Shape<typeof failingChannels>;
export type ListedAssetStatus = Shape<typeof listedStatus>;
export type SilentAddress = Shape<typeof silentAddress>;
export type UnitStatus = Shape<typeof unitStatus>;
