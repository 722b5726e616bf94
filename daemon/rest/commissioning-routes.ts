import type { AssetAccess } from '../access/asset-access.ts';
import type { Decoding } from '../asset/decode-channel.ts';
import { MAXIMUM_CANDIDATES } from '../asset/decode-candidates.ts';
import type { DecodeCandidate } from '../asset/decode-candidates.ts';
import type { RoundPlan } from '../asset/read-selection.ts';
import { z } from '../base/schema.ts';
import type { ChannelFailure } from '../channel/channel-record.ts';
import { formatByShape } from '../channel/value-syntax.ts';
import { ok } from '../http/answer.ts';
import { jsonBody } from '../interface/endpoint.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import { ASSETS_READ_PERMISSION } from '../identity/permission.ts';
import { callerOf } from './caller.ts';
import { channelStatusSchema, channelValueSchema, jsonNumberSchema } from './channel-value-schema.ts';
import { channelsQuery, readChannelNames } from './channels-query.ts';

const MAXIMUM_BYTES = 65_536;

/** The body of `_decode`. */
export const decodeRequest = z
  .strictObject({
    channel: z.string(),
    expected: z.union([jsonNumberSchema.transform(Number), z.string().max(250), z.boolean()]).optional(),
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
    value: channelValueSchema,
    isConfigured: z.boolean(),
    alternatives: z.array(setting),
  })
  .meta({ id: 'DecodingCandidate' });
const decoding = z
  .strictObject({
    channelStatus: channelStatusSchema,
    name: z.string(),
    timestamp: z.int(),
    bytes: z.string().optional().describe('What stands at the address, in hexadecimal digits'),
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
    notSent: z.string().optional().describe('Why the next read does not send it; absent when it does'),
  })
  .meta({ id: 'PlannedRequest' });
const totalCost = z.strictObject({ requests: z.int().min(0), ...cost }).meta({ id: 'ReadCost' });
const unreadChannel = z.strictObject({ name: z.string(), reason: z.string() }).meta({ id: 'UnreadChannel' });

/** The answer of `_plan`. */
const planInfo = z
  .strictObject({
    isPlanned: z
      .boolean()
      .describe('Whether the driver plans its requests ahead; when not, the list is empty'),
    requests: z.array(plannedRequest),
    total: totalCost,
    notRead: z.array(unreadChannel),
  })
  .meta({ id: 'ReadPlan' });

/** Creates the endpoints for commissioning: the cost of a read, and the meaning of registers. */
export function createCommissioningRoutes(
  access: AssetAccess,
  clock: { epochMs(): number },
): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/services/assets/:pid/_plan',
      summary: 'Shows the requests of a read with their bytes and times',
      access: ASSETS_READ_PERMISSION,
      query: channelsQuery,
      response: { status: 200, schema: planInfo },
      handle(context) {
        const { pid = '' } = context.parameters;
        const asset = access.open(callerOf(context), pid);
        return ok(toPlanInfo(asset.describeRead(readChannelNames(context.request))));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/services/assets/:pid/_decode',
      summary: 'Reads the bytes of a channel and lists what they may mean',
      access: ASSETS_READ_PERMISSION,
      request: jsonBody(decodeRequest, MAXIMUM_BYTES),
      response: { status: 200, schema: decoding },
      async handle(context) {
        const { pid = '' } = context.parameters;
        const { channel, expected } = context.body;
        const outcome = await access.open(callerOf(context), pid).decode(channel, expected);
        return { status: 200, json: renderDecoding(channel, outcome, clock.epochMs()) };
      },
    }),
  ];
}

/** Returns the requests of a read and the sums of those that are sent; a time is absent where one of its parts is unknown. */
function toPlanInfo({ requests, refused }: RoundPlan): z.infer<typeof planInfo> {
  const listed = requests ?? [];
  const sent = listed.filter(({ notSent }) => notSent === undefined);
  return {
    isPlanned: requests !== undefined,
    requests: listed.map(({ name, channels, requestBytes, answerBytes, wireMs, measuredMs, notSent }) => ({
      name,
      channels: [...channels],
      requestBytes,
      answerBytes,
      wireMs: round(wireMs),
      measuredMs: round(measuredMs),
      notSent,
    })),
    total: {
      requests: sent.length,
      requestBytes: sum(sent.map((request) => request.requestBytes)),
      answerBytes: sum(sent.map((request) => request.answerBytes)),
      wireMs: round(sumOfKnown(sent.map(({ wireMs }) => wireMs))),
      measuredMs: round(sumOfKnown(sent.map(({ measuredMs }) => measuredMs))),
    },
    notRead: refused.map(({ name, failure }) => ({ name, reason: failure.message })),
  };
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}

function sumOfKnown(parts: readonly (number | undefined)[]): number | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 || known.length < parts.length ? undefined : sum(known);
}

/** Rounds a time to microseconds; finer digits are noise. */
function round(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : Math.round(timeMs * 1000) / 1000;
}

/** Returns the answer of `_decode` as JSON text: a record with bytes and candidates, or with the failure. */
function renderDecoding(
  name: string,
  outcome: Decoding | { readonly failure: ChannelFailure },
  nowMs: number,
): string {
  if ('failure' in outcome) {
    const channelStatus = { channelFlag: 'FAILURE', exceptionMessage: outcome.failure.message };
    return JSON.stringify({ channelStatus, name, timestamp: nowMs });
  }
  const { bytes, timestampMs, candidates } = outcome;
  const head = JSON.stringify({
    channelStatus: { channelFlag: 'SUCCESS' },
    name,
    timestamp: timestampMs,
    bytes: Buffer.from(bytes).toString('hex'),
  });
  return `${head.slice(0, -1)},"candidates":[${candidates.map(renderCandidate).join(',')}]}`;
}

function renderCandidate({ value, ...others }: DecodeCandidate): string {
  // JSON.stringify rejects a bigint, and a double would lose digits.
  return `{"value":${formatByShape(value)},${JSON.stringify(others).slice(1)}`;
}
