import { z } from '../../base/schema.ts';
import { channelsQuery } from './assets.ts';
import { channelStatus, channelValue, jsonNumber } from './channel-value.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

const MAXIMUM_BYTES = 65_536;

/** Maximum interpretations of a channel's raw bytes in one response. */
export const MAXIMUM_CANDIDATES = 200;

/** Request body of `_decode`. */
export const decodeRequest = z
  .strictObject({
    channel: z.string(),
    expected: z.union([jsonNumber.transform(Number), z.string().max(250), z.boolean()]).optional(),
  })
  .meta({ id: 'DecodeRequest' });

const setting = z
  .strictObject({
    address: z.record(z.string(), z.unknown()),
    valueScale: z.number(),
    valueOffset: z.number(),
  })
  .meta({ id: 'DecodingSetting' });
const candidate = z
  .strictObject({
    ...setting.shape,
    value: channelValue,
    isConfigured: z.boolean(),
    alternatives: z.array(setting),
  })
  .meta({ id: 'DecodingCandidate' });
const decoding = z
  .strictObject({
    channelStatus,
    name: z.string(),
    timestamp: z.int(),
    bytes: z.string().optional().describe('Raw bytes at the address, in hexadecimal'),
    candidates: z.array(candidate).max(MAXIMUM_CANDIDATES).optional(),
  })
  .meta({ id: 'Decoding' });

const byteCount = z.int().min(0);
const durationMs = z.number().min(0).optional();
const cost = { requestBytes: byteCount, answerBytes: byteCount, wireMs: durationMs, measuredMs: durationMs };

const plannedRequest = z
  .strictObject({
    name: z.string(),
    channels: z.array(z.string()),
    ...cost,
    notSent: z
      .string()
      .optional()
      .describe('Reason why the next read skips this request; absent: it is sent'),
  })
  .meta({ id: 'PlannedRequest' });
const totalCost = z.strictObject({ requests: z.int().min(0), ...cost }).meta({ id: 'ReadCost' });
const unreadChannel = z.strictObject({ name: z.string(), reason: z.string() }).meta({ id: 'UnreadChannel' });
const readPlan = z
  .strictObject({
    isPlanned: z
      .boolean()
      .describe('True if the driver plans its requests in advance; otherwise the list is empty'),
    requests: z.array(plannedRequest),
    total: totalCost,
    notRead: z.array(unreadChannel),
  })
  .meta({ id: 'ReadPlan' });

/** Shows the planned requests of a read. */
export const planRead = endpoint({
  method: 'GET',
  path: '/services/assets/:pid/_plan',
  summary: 'Shows the planned requests of a read with sizes and times',
  access: 'rest.assets.read',
  query: channelsQuery,
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: readPlan },
});

/** Reads the raw bytes of a channel. */
export const decodeChannel = endpoint({
  method: 'POST',
  path: '/services/assets/:pid/_decode',
  summary: 'Reads the raw bytes of a channel and lists possible interpretations',
  access: 'rest.assets.read',
  request: jsonBody(decodeRequest, MAXIMUM_BYTES),
  isCompressible: true,
  response: { status: 200, schema: decoding },
});

export type Decoding = Shape<typeof decoding>;
export type DecodingCandidate = Shape<typeof candidate>;
export type DecodingSetting = Shape<typeof setting>;
export type PlannedRequest = Shape<typeof plannedRequest>;
export type ReadPlan = Shape<typeof readPlan>;
