import { z } from '../../base/schema.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { integerParameter } from '../query-parameter.ts';
import { channelsParameter } from './assets.ts';
import { channelValue } from './channel-value.ts';

/** What a bucket shows of its samples. */
export const HISTORY_AGGREGATES = ['mean', 'min', 'max', 'first', 'last', 'count'] as const;

/** Maximum rows of one answer. */
const MAXIMUM_ROWS = 100_000;
const DEFAULT_ROWS = 10_000;
const MAXIMUM_BUCKET_MS = 366 * 86_400_000;

const timeParameter = z.string().optional();

const historyQuery = z.object({
  channels: channelsParameter,
  from: timeParameter.describe(
    'First time that counts, in milliseconds since 1970-01-01 UTC or ISO 8601 with an offset or Z; default: an hour before "to"',
  ),
  to: timeParameter.describe('First time that no longer counts; default: now'),
  limit: integerParameter(1, MAXIMUM_ROWS)
    .default(DEFAULT_ROWS)
    .describe('Maximum number of rows, 1 to 100,000; default: 10,000'),
  bucketMs: integerParameter(1, MAXIMUM_BUCKET_MS)
    .optional()
    .describe('One row for each channel and so many milliseconds; absent: one for each sample'),
  aggregate: z
    .enum(HISTORY_AGGREGATES)
    .optional()
    .describe('Value of a bucket; needs bucketMs; default: mean'),
});

const time = z.int().describe('Milliseconds since 1970-01-01 UTC');

const historySample = z
  .strictObject({
    channel: z.string(),
    timestamp: time,
    value: channelValue.optional(),
    quality: z.enum(['GOOD', 'UNCERTAIN', 'BAD']),
    status: z.string().optional().describe('Status of the device, or the code of the failure'),
  })
  .meta({ id: 'HistorySample' });

const historyBucket = z
  .strictObject({
    channel: z.string(),
    from: time,
    value: channelValue.optional().describe('Absent: no sample has a value that the aggregate applies to'),
    count: z.int(),
    good: z.int().describe('Samples of good quality'),
  })
  .meta({ id: 'HistoryBucket' });

const historyGap = z
  .strictObject({
    channel: z.string().optional().describe('Absent: every channel'),
    from: time,
    to: time,
    count: z.int().describe('Samples that were taken and are lost'),
    reason: z.enum(['RETENTION', 'DISK', 'DAMAGED', 'STOPPED', 'DEVICE_LOST']),
  })
  .meta({ id: 'HistoryGap' });

const historyPage = z
  .strictObject({
    samples: z.array(historySample).optional().describe('Absent with bucketMs'),
    buckets: z.array(historyBucket).optional().describe('Present with bucketMs'),
    gaps: z.array(historyGap),
    next: time.optional().describe('"from" of the next page; absent: this one is the last'),
  })
  .meta({ id: 'HistoryPage' });

const recordingConsumer = z
  .strictObject({
    consumer: z.string(),
    lagSamples: z.int(),
    lagBytes: z.int(),
    lagSeconds: z.number(),
  })
  .meta({ id: 'RecordingConsumer' });

const recordedAsset = z
  .strictObject({
    asset: z.string(),
    channels: z
      .array(z.string())
      .optional()
      .describe('Channels that the caller may read; absent: every one of them that is enabled'),
  })
  .meta({ id: 'RecordedAsset' });

const recordedBy = z
  .strictObject({
    recorder: z.string(),
    assets: z.array(recordedAsset).describe('Recorded assets that the caller can see'),
    bytes: z.int().describe('Of the channels that it records; channels of several recorders count in each'),
    oldest: time.optional().describe('Time of the oldest sample'),
  })
  .meta({ id: 'RecordedHistory' });

const historyOverview = z
  .strictObject({
    recorders: z.array(recordedBy),
    consumers: z
      .array(recordingConsumer)
      .optional()
      .describe('Only with the permission rest.configuration or rest.admin'),
  })
  .meta({ id: 'HistoryOverview' });

/** Lists the recorders and what they have recorded. */
export const listHistory = endpoint({
  method: 'GET',
  path: '/services/history/v1',
  summary: 'Lists the recorders, what is kept of each, and how far the readers of the record are behind',
  access: 'rest.assets.read',
  isCompressible: true,
  response: { status: 200, schema: historyOverview },
  isStatus: true,
});

/** Returns recorded samples of an asset. */
export const readHistory = endpoint({
  method: 'GET',
  path: '/services/history/v1/:asset',
  summary: 'Returns the recorded samples of an asset in the order of time, or their aggregates',
  access: 'rest.assets.read',
  query: historyQuery,
  isCompressible: true,
  response: {
    status: 200,
    schema: historyPage,
    alternativeTypes: ['application/x-ndjson', 'text/csv'],
  },
});

export type HistoryPage = Shape<typeof historyPage>;
export type HistoryOverview = Shape<typeof historyOverview>;
