import type { AssetRegistry } from '../asset/asset-registry.ts';
import { decodeChannel } from '../asset/decode-channel.ts';
import { MAXIMUM_CANDIDATES } from '../asset/decode-candidates.ts';
import { z } from '../base/schema.ts';
import { ok } from '../http/answer.ts';
import { renderDecoding } from './decoding-json.ts';
import { planInfo, toPlanInfo } from './plan-json.ts';
import { channelsQuery, readChannelNames } from './channels-query.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

const PERMISSION = 'rest.assets';
const MAXIMUM_BYTES = 65_536;

/** What can be asked of a plan. */

/** The body of `_decode`. */
export const decodeRequest = z.strictObject({
  channel: z.string(),
  expected: z.union([z.number(), z.bigint().transform(Number), z.string().max(250), z.boolean()]).optional(),
});

const setting = z.strictObject({
  address: z.record(z.string(), z.unknown()),
  valueScale: z.number(),
  valueOffset: z.number(),
});
const decoding = z.strictObject({
  channelStatus: z.strictObject({
    channelFlag: z.enum(['SUCCESS', 'FAILURE']),
    exceptionMessage: z.string().optional(),
  }),
  name: z.string(),
  timestamp: z.int(),
  bytes: z.string().optional().describe('What stands at the address, in hexadecimal digits'),
  candidates: z
    .array(
      setting.extend({
        value: z.union([z.string(), z.number(), z.bigint(), z.boolean()]),
        isConfigured: z.boolean(),
        alternatives: z.array(setting),
      }),
    )
    .max(MAXIMUM_CANDIDATES)
    .optional(),
});

/** Makes the endpoints for those who set up a line: what a read costs, and what registers mean. */
export function createCommissioningRoutes(
  registry: AssetRegistry,
  clock: { epochMs(): number },
): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/services/assets/:pid/_plan',
      summary: 'Shows the requests of a read with their bytes and times',
      access: PERMISSION,
      query: channelsQuery,
      response: { status: 200, schema: planInfo },
      handle({ parameters: { pid = '' }, request }) {
        const asset = registry.get(pid);
        return ok(toPlanInfo(asset.describeRead(readChannelNames(request))));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/services/assets/:pid/_decode',
      summary: 'Reads the bytes of a channel and lists what they may mean',
      access: PERMISSION,
      request: { contentType: 'application/json', schema: decodeRequest, maximumBytes: MAXIMUM_BYTES },
      response: { status: 200, schema: decoding },
      async handle({ parameters: { pid = '' }, body: { channel, expected } }) {
        const outcome = await decodeChannel(registry.get(pid), channel, expected);
        return { status: 200, json: renderDecoding(channel, outcome, clock.epochMs()) };
      },
    }),
  ];
}
