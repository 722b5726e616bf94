import { z } from '../../base/schema.ts';
import { channelsParameter, labelsParameter, resultRecord } from './assets.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { integerParameter, listParameter } from '../query-parameter.ts';

const MINIMUM_INTERVAL_MS = 100;
const MAXIMUM_INTERVAL_MS = 3_600_000;

/** Query parameters of a value stream. */
export const listenQuery = z.object({
  channels: channelsParameter,
  deadband: z
    .string()
    .min(1, 'expected a number')
    .optional()
    .describe(
      'Unreported change of a number: "0.5" for all channels, or "name:2" for one, separated by commas',
    ),
  minimumIntervalMs: integerParameter(MINIMUM_INTERVAL_MS, MAXIMUM_INTERVAL_MS)
    .default(1000)
    .describe('Minimum milliseconds between two changes of a channel, 100 to 3,600,000; default: 1,000'),
  labels: labelsParameter,
});

const joinedListenQuery = listenQuery.extend({
  assets: listParameter('asset pids', 'required'),
});

const VALUES = ['snapshot', 'change'] as const;
const reason = z.string();
const end = z.object({ type: z.literal('end'), data: z.object({ reason }) });

const listenEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(VALUES), data: z.array(resultRecord) }),
  z.object({ type: z.literal('gap'), data: z.object({ reason }) }),
  end,
]);

// In a stream of several assets, each record and gap names its asset.
const asset = z.string();
const joinedRecord = resultRecord.extend({ asset });
const joinedListenEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(VALUES), data: z.array(joinedRecord) }),
  z.object({ type: z.literal('gap'), data: z.object({ asset, reason }) }),
  end,
]);

/** Streams the values of several assets: a snapshot, then changes. */
export const listenToAssets = endpoint({
  method: 'GET',
  path: '/services/assets/_listen',
  summary: 'Streams the values of several assets: a snapshot, then changes',
  access: 'rest.assets.read',
  query: joinedListenQuery,
  response: { status: 200, contentType: 'text/event-stream', schema: joinedListenEvent },
});

/** Streams the values of an asset: a snapshot, then changes. */
export const listenToAsset = endpoint({
  method: 'GET',
  path: '/services/assets/:pid/_listen',
  summary: 'Streams the values of an asset: a snapshot, then changes',
  access: 'rest.assets.read',
  query: listenQuery,
  response: { status: 200, contentType: 'text/event-stream', schema: listenEvent },
});

/** A record in a stream of several assets. */
export type ListenedRecord = Shape<typeof joinedRecord>;
