import { z } from '../../base/schema.ts';
import { faultReasons } from '../failure.ts';
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
    kind: z.string().describe('Requested kind, for example HOLDING_REGISTERS'),
    maximumQuantity: z.int().describe('Largest quantity in one request to which the device responded'),
  })
  .meta({ id: 'RequestLimit' });

const unitStatus = z
  .strictObject({
    name: z.string(),
    state: z.enum(['UNKNOWN', 'ANSWERING', 'SUSPENDED']),
    isUsed: z
      .boolean()
      .describe('True if a channel of the asset uses this unit; otherwise it is another device on the line'),
    lastError: z.string().optional(),
    lastErrorCode: z.string().optional(),
    lastErrorReasons: faultReasons,
    lastErrorAt: time.optional(),
    silentSince: time.optional().describe('Time of the first timeout of a suspended unit'),
    nextProbeAt: time.optional(),
    silentAddresses: z.array(silentAddress).optional(),
    requestLimits: z.array(requestLimit).optional().describe('Requests shortened for the device'),
    counters: z.record(z.string(), z.int()),
  })
  .meta({ id: 'UnitStatus' });

const listeningStatus = z
  .strictObject({
    mode: z.enum(['POLL', 'SUBSCRIBE']),
    isActive: z.boolean(),
    refusal: z
      .string()
      .optional()
      .describe(
        'Reason that a device which can report changes is polled: it has no capacity for a subscription',
      ),
    listeners: z.int(),
    channels: z.int(),
    intervalMs: z.int().optional(),
  })
  .meta({ id: 'ListeningStatus' });

const failingChannel = z
  .strictObject({
    name: z.string(),
    since: time,
    statusCode: z.string(),
    message: z.string(),
    reasons: faultReasons,
  })
  .meta({ id: 'FailingChannel' });
const failingChannels = z
  .strictObject({
    count: z.int(),
    since: time.describe('Start of the longest current failure'),
    first: z.array(failingChannel).describe('At most three, in configuration order'),
  })
  .meta({ id: 'FailingChannels' });

const assetStatus = z
  .strictObject({
    displayName: z.string().optional().describe('Display name of the asset'),
    description: z.string().optional().describe('Description of the asset'),
    driver: driverStatus,
    units: z.array(unitStatus),
    listening: listeningStatus.optional(),
    failingChannels: failingChannels
      .optional()
      .describe('Channels whose last read returned no value although their device is reachable'),
  })
  .meta({ id: 'AssetStatus' });

const listedStatus = assetStatus
  .extend({
    asset: z.string().describe('Pid of the asset'),
    channels: z.int().describe('Number of channels that the caller may use'),
  })
  .meta({ id: 'ListedAssetStatus' });

/** Shows connection and device states of several assets. */
export const listAssetStatus = endpoint({
  method: 'GET',
  path: '/services/assets/_status',
  summary: 'Shows connection and device states of several assets, or of all',
  access: 'rest.assets.read',
  query: z.object({
    assets: z
      .string()
      .min(1, 'expected asset pids separated by commas')
      .optional()
      .describe('asset pids, separated by commas; default: all'),
  }),
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: z.array(listedStatus) },
});

/** Shows connection and device states of an asset. */
export const readAssetStatus = endpoint({
  method: 'GET',
  path: '/services/assets/:pid/_status',
  summary: 'Shows connection and device states of an asset',
  access: 'rest.assets.read',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: assetStatus },
});

export type AssetStatus = Shape<typeof assetStatus>;
export type FailingChannels = Shape<typeof failingChannels>;
export type ListedAssetStatus = Shape<typeof listedStatus>;
export type SilentAddress = Shape<typeof silentAddress>;
export type UnitStatus = Shape<typeof unitStatus>;
