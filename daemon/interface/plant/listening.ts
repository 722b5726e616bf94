import { z } from '../../base/schema.ts';
import { channelsParameter, resultRecord } from './assets.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { integerParameter, listParameter } from '../query-parameter.ts';

const SHORTEST_INTERVAL_MS = 100;
const LONGEST_INTERVAL_MS = 3_600_000;

/** The parameters of the query. */
export const listenQuery = z.object({
  channels: channelsParameter,
  deadband: z.string().min(1, 'expected a number').optional(),
  minimumIntervalMs: integerParameter(SHORTEST_INTERVAL_MS, LONGEST_INTERVAL_MS).default(1000),
});

const joinedListenQuery = listenQuery.extend({
  assets: listParameter('expected pids of assets with commas between them'),
});

const VALUES = ['snapshot', 'change'] as const;
const reason = z.string();
const end = z.object({ type: z.literal('end'), data: z.object({ reason }) });

const listenEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(VALUES), data: z.array(resultRecord) }),
  z.object({ type: z.literal('gap'), data: z.object({ reason }) }),
  end,
]);

// Of a stream of several assets, what is of one of them names it.
const asset = z.string();
const joinedRecord = resultRecord.extend({ asset });
const joinedListenEvent = z.discriminatedUnion('type', [
  z.object({ type: z.enum(VALUES), data: z.array(joinedRecord) }),
  z.object({ type: z.literal('gap'), data: z.object({ asset, reason }) }),
  end,
]);

/** Sends the values of several assets, and then what changes. */
export const listenToAssets = endpoint({
  method: 'GET',
  path: '/services/assets/_listen',
  summary: 'Sends the values of several assets and then what changes',
  access: 'rest.assets.read',
  query: joinedListenQuery,
  response: { status: 200, contentType: 'text/event-stream', schema: joinedListenEvent },
});

/** Sends the values of an asset, and then what changes. */
export const listenToAsset = endpoint({
  method: 'GET',
  path: '/services/assets/:pid/_listen',
  summary: 'Sends the values of an asset and then what changes',
  access: 'rest.assets.read',
  query: listenQuery,
  response: { status: 200, contentType: 'text/event-stream', schema: listenEvent },
});

/** A record in a stream of several assets. */
export type ListenedRecord = Shape<typeof joinedRecord>;
