import { z } from '../../base/schema.ts';
import { channelsQuery, resultRecord } from './assets.ts';
import { channelStatus, channelValue, jsonNumber } from './channel-value.ts';
import { endpoint, jsonBody } from '../endpoint.ts';
import { faultReason, faultReasons } from '../failure.ts';
import type { Shape } from '../endpoint.ts';

const MAXIMUM_BYTES = 65_536;

const MAXIMUM_TRIAL_BYTES = 4 * 1024 * 1024;
const MAXIMUM_TRIAL_CHANNELS = 5000;
// Each is a request of its own.
const MAXIMUM_INTERPRETED = 64;

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
const statusCode = z
  .string()
  .optional()
  .describe('Status reported by the device, otherwise the failure code');
const decoding = z
  .strictObject({
    channelStatus,
    statusCode,
    reasons: faultReasons,
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
    nameReasons: z.array(faultReason).optional().describe('The name by code, with its values'),
    channels: z.array(z.string()),
    ...cost,
    notSent: z
      .string()
      .optional()
      .describe('Reason why the next read skips this request; absent: it is sent'),
    notSentCode: z.string().optional().describe('Code of that reason'),
    notSentReasons: faultReasons,
  })
  .meta({ id: 'PlannedRequest' });
const totalCost = z.strictObject({ requests: z.int().min(0), ...cost }).meta({ id: 'ReadCost' });
const unreadChannel = z
  .strictObject({ name: z.string(), reason: z.string(), statusCode, reasons: faultReasons })
  .meta({ id: 'UnreadChannel' });
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

const trial = {
  channels: z
    .array(z.unknown())
    .min(1)
    .max(MAXIMUM_TRIAL_CHANNELS)
    .describe('Channels as in an asset of the configuration'),
  interpret: z
    .boolean()
    .default(false)
    .describe(
      `true: also reads the raw bytes of each channel and lists possible interpretations; at most ${MAXIMUM_INTERPRETED} channels`,
    ),
};
const isWithinInterpreted = ({ channels, interpret }: { channels: unknown[]; interpret: boolean }): boolean =>
  !interpret || channels.length <= MAXIMUM_INTERPRETED;
const TOO_MANY = {
  path: ['channels'],
  message: `expected at most ${MAXIMUM_INTERPRETED} channels with interpret`,
};
const connectionTrial = z
  .strictObject(trial)
  .refine(isWithinInterpreted, TOO_MANY)
  .meta({ id: 'ConnectionTrial' });
const deviceTrial = z
  .strictObject({
    type: z.string().describe('Driver type'),
    settings: z.record(z.string(), z.unknown()).describe('Driver settings'),
    ...trial,
  })
  .refine(isWithinInterpreted, TOO_MANY)
  .meta({ id: 'DeviceTrial' });
const trialReading = z
  .strictObject({
    records: z.array(resultRecord).describe('Of the enabled, readable channels'),
    decodings: z.array(decoding).optional().describe('Absent unless requested'),
  })
  .meta({ id: 'TrialReading' });

const trialRead = {
  method: 'POST',
  access: 'rest.configuration',
  response: { status: 200, schema: trialReading },
  audit: 'DEVICES_SCANNED',
} as const;

/** Reads channels that are not configured, with the given settings. */
export const tryDevice = endpoint({
  ...trialRead,
  path: '/services/drivers/v1/_try',
  summary: 'Reads channels that are not configured once, with settings from the request',
  request: jsonBody(deviceTrial, MAXIMUM_TRIAL_BYTES),
  refusals: [409],
});

/** Reads channels that are not configured over a configured connection. */
export const tryConnection = endpoint({
  ...trialRead,
  path: '/services/drivers/v1/:pid/_try',
  summary: 'Reads channels that are not configured once, over a configured connection',
  request: jsonBody(connectionTrial, MAXIMUM_TRIAL_BYTES),
});

export type TrialReading = Shape<typeof trialReading>;
export type Decoding = Shape<typeof decoding>;
export type DecodingCandidate = Shape<typeof candidate>;
export type DecodingSetting = Shape<typeof setting>;
export type PlannedRequest = Shape<typeof plannedRequest>;
export type ReadPlan = Shape<typeof readPlan>;
