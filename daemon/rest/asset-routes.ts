import type { IncomingMessage } from 'node:http';

import type { AssetReading } from '../asset/asset.ts';
import type { AssetAccess } from '../access/asset-access.ts';
import { HIDDEN_CONDITION_MESSAGE } from '../access/untold-conditions.ts';
import type { ShownTerms } from '../access/untold-conditions.ts';
import { listDeviceAccess } from '../asset/device-access.ts';
import { recordInterruptedWrite } from '../asset/interrupted-write.ts';
import type { Clock } from '../base/clock.ts';
import { z } from '../base/schema.ts';
import { CHANNEL_TYPES, SCALE_OFFSET_TYPES } from '../channel/channel.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelRecord } from '../channel/channel-record.ts';
import { DEVICE_ACCESSES } from '../channel/checking-driver.ts';
import { labelOf } from '../channel/label.ts';
import { QUALITIES } from '../channel/quality.ts';
import { VALUE_TYPES } from '../channel/value-type.ts';
import { ASSETS_PERMISSION, ASSETS_READ_PERMISSION } from '../identity/permission.ts';
import { DONE_WRITE_OUTCOMES, FAILED_WRITE_OUTCOMES } from '../channel/write-outcome.ts';
import { ok } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import { noteChannelWrite } from './channel-write-note.ts';
import type { RestSettings } from '../settings/rest-settings.ts';
import { channelStatusSchema, channelValueSchema } from './channel-value-schema.ts';
import { channelsQuery, readChannelNames } from './channels-query.ts';
import { showsDetails } from './record-details.ts';
import type { RenderRecords } from './record-json.ts';
import { defineRoute } from '../http/route.ts';
import { jsonBody } from '../interface/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import { isTrial, readQuery } from '../http/query.ts';
import type { Route } from '../http/route.ts';
import { callerOf } from './caller.ts';
import { beginEnding, boundedList, toChannelWrite, writeRequest } from './write-request.ts';
import { writeTermsRecord } from './write-terms-json.ts';

const ROOT = '/services/assets';
const MAXIMUM_BYTES = 1_048_576;

// Other members of a body are ignored, as clients of Kura expect.
const MAXIMUM_NAMES = 10_000;
const readRequest = z
  .object({ channels: boundedList(z.string(), MAXIMUM_NAMES, 'names') })
  .meta({ id: 'ReadRequest' });
const channelRecord = z
  .strictObject({
    name: z.string(),
    type: z.enum(CHANNEL_TYPES),
    valueType: z.enum(VALUE_TYPES),
    scaleOffsetType: z.enum(SCALE_OFFSET_TYPES),
    valueScale: z.number(),
    valueOffset: z.number(),
    unit: z.string().optional(),
    displayName: z.string().optional(),
    description: z.string().optional(),
    isEnabled: z.boolean(),
    write: writeTermsRecord.optional(),
    deviceAccess: z
      .enum(DEVICE_ACCESSES)
      .optional()
      .describe(
        'What the device lets the gateway do with the value, by its own word; absent while it has told nothing',
      ),
  })
  .meta({ id: 'ChannelRecord' });
const resultRecord = z
  .strictObject({
    channelStatus: channelStatusSchema,
    name: z.string(),
    valueType: z.enum(VALUE_TYPES).optional(),
    value: channelValueSchema.optional(),
    timestamp: z.int(),
    unit: z.string().optional(),
    quality: z.enum(QUALITIES).optional().describe('Of the value that was read; absent after a write'),
    statusCode: z
      .string()
      .optional()
      .describe('Status that the device gave, else the code of the failure; absent when there is neither'),
  })
  .meta({ id: 'ResultRecord' });
const results = { status: 200, schema: z.array(resultRecord) };
const writeResults = {
  status: 200,
  schema: z.array(
    resultRecord
      .extend({
        outcome: z
          .enum([...DONE_WRITE_OUTCOMES, ...FAILED_WRITE_OUTCOMES])
          .optional()
          .describe('What became of the write; absent of a trial in which it would be sent'),
        requestedValue: channelValueSchema
          .optional()
          .describe('The value of the request, where "value", the one that is sent, is another one'),
        readBack: channelValueSchema
          .optional()
          .describe('The value that the channel holds after the write, where it was read back'),
        dryRun: z.literal(true).optional().describe('Nothing was sent: the record tells what would happen'),
      })
      .meta({ id: 'WriteResultRecord' }),
  ),
};
const writeQuery = z.object({ dryRun: z.enum(['true', 'false']).optional() });

interface AssetRouteParts {
  readonly access: AssetAccess;
  readonly renderRecords: RenderRecords;
  readonly rest: () => Pick<RestSettings, 'recordDetails'>;
  /** Milliseconds after which a request to write ends. */
  readonly writeDeadlineMs: () => number;
  readonly clock: Clock;
}

/** Creates the endpoints that list, read and write assets. */
export function createAssetRoutes(parts: AssetRouteParts): readonly Route[] {
  return [...inventoryRoutes(parts), ...valueRoutes(parts)];
}

function inventoryRoutes({ access, rest, clock }: AssetRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: ROOT,
      isOfSpecification: true,
      summary: 'Lists the pids of the assets',
      access: ASSETS_READ_PERMISSION,
      response: { status: 200, schema: z.array(z.string()) },
      handle: (context) => ok(access.list(callerOf(context)).map(({ config }) => config.pid)),
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/:pid`,
      isOfSpecification: true,
      summary: 'Lists the channels of an asset',
      access: ASSETS_READ_PERMISSION,
      response: { status: 200, schema: z.array(channelRecord) },
      async handle(context) {
        const granted = access.open(callerOf(context), pidOf(context));
        const channels = granted.listChannels();
        if (!showsDetails(context.request, rest())) return ok(channels.map(toPlainRecord));
        const told = await listDeviceAccess(granted.asset.connection, channels, clock);
        return ok(
          channels.map((channel, index) => {
            const deviceAccess = told[index];
            const record = toChannelRecord(channel, granted.termsOf(channel));
            return deviceAccess === undefined ? record : Object.assign(record, { deviceAccess });
          }),
        );
      },
    }),
  ];
}

function valueRoutes({
  access,
  renderRecords,
  rest,
  writeDeadlineMs,
  clock,
}: AssetRouteParts): readonly Route[] {
  const render = ({ request }: Pick<RequestContext, 'request'>, records: readonly ChannelRecord[]): Buffer =>
    renderRecords(records, { hasDetails: showsDetails(request, rest()) });
  const toReadAnswer = (
    context: RequestContext,
    { records, ageMs }: AssetReading,
    maxAgeMs: number,
  ): Answer => {
    const headers = maxAgeMs > 0 ? { Age: String(Math.ceil(ageMs / 1000)) } : {};
    return { status: 200, headers, json: render(context, records) };
  };
  return [
    defineRoute({
      method: 'GET',
      path: `${ROOT}/:pid/_read`,
      isOfSpecification: true,
      summary: 'Reads every channel of an asset that can be read, or those named in the query',
      access: ASSETS_READ_PERMISSION,
      query: channelsQuery,
      response: results,
      async handle(context) {
        const maxAgeMs = findMaxAgeMs(context.request);
        const asset = access.open(callerOf(context), pidOf(context));
        const names = readChannelNames(context.request);
        const reading = names === undefined ? asset.readAll(maxAgeMs) : asset.read(names, maxAgeMs);
        return toReadAnswer(context, await reading, maxAgeMs);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/:pid/_read`,
      isOfSpecification: true,
      summary: 'Reads the channels named in the body',
      access: ASSETS_READ_PERMISSION,
      request: jsonBody(readRequest, MAXIMUM_BYTES),
      response: results,
      async handle(context) {
        const maxAgeMs = findMaxAgeMs(context.request);
        const asset = access.open(callerOf(context), pidOf(context));
        return toReadAnswer(context, await asset.read(context.body.channels, maxAgeMs), maxAgeMs);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/:pid/_write`,
      isOfSpecification: true,
      summary: 'Writes the values in the body, in order',
      access: ASSETS_PERMISSION,
      audit: 'CHANNEL_WRITE',
      auditOfTrial: 'CHANNEL_WRITE_TRIED',
      isKeyed: true,
      query: writeQuery,
      request: { ...jsonBody(writeRequest, MAXIMUM_BYTES), keepsNumbers: true },
      response: writeResults,
      describeAttempt(context, nowMs) {
        const writes = context.body.channels.map(toChannelWrite);
        return noteChannelWrite(pidOf(context), writes, recordInterruptedWrite(writes, nowMs));
      },
      answerInstead(context, { text, nowMs }) {
        const asset = access.open(callerOf(context), pidOf(context));
        const writes = context.body.channels.map(toChannelWrite);
        const showsReadBack = text.includes('"readBack"');
        const records = asset.withhold(writes, {
          showsReadBack,
          showsConditions: tellsCondition(text),
          nowMs,
        });
        return records === undefined ? undefined : { status: 200, json: render(context, records) };
      },
      answerInterrupted(context, nowMs) {
        // An asset that the caller may no longer use is unknown to it.
        access.open(callerOf(context), pidOf(context));
        // Nothing was sent, and nothing will be.
        if (isTrial(context.request)) return undefined;
        const writes = context.body.channels.map(toChannelWrite);
        const records = recordInterruptedWrite(writes, nowMs);
        context.auditNote = noteChannelWrite(pidOf(context), writes, records);
        return { status: 200, json: render(context, records) };
      },
      async handle(context) {
        const pid = pidOf(context);
        const asset = access.open(callerOf(context), pid);
        const writes = context.body.channels.map(toChannelWrite);
        context.auditNote = noteChannelWrite(pid, writes);
        const isDryRun = readQuery(context.request, writeQuery).dryRun === 'true';
        const ending = beginEnding(context, clock, writeDeadlineMs());
        const records = await asset
          .write(writes, { isDryRun, ending: ending.signal })
          .finally(() => ending.stop());
        context.auditNote = noteChannelWrite(pid, writes, asset.reveal(records));
        return { status: 200, json: render(context, records) };
      },
    }),
  ];
}

function pidOf({ parameters: { pid = '' } }: Pick<RequestContext, 'parameters'>): string {
  return pid;
}

/** Returns a channel with the members of Kura alone. */
function toPlainRecord({
  name,
  type,
  valueType,
  scaleOffsetType,
  valueScale,
  valueOffset,
  unit,
  isEnabled,
}: Channel): z.infer<typeof channelRecord> {
  const head = { name, type, valueType, scaleOffsetType, valueScale, valueOffset };
  return { ...head, ...(unit === undefined ? {} : { unit }), isEnabled };
}

function toChannelRecord(channel: Channel, write: ShownTerms | undefined): z.infer<typeof channelRecord> {
  const { isEnabled, ...head } = toPlainRecord(channel);
  return { ...head, ...labelOf(channel), isEnabled, ...(write === undefined ? {} : { write }) };
}

/** Returns whether an answer tells more of a condition than that it does not hold. */
function tellsCondition(text: string): boolean {
  const records = JSON.parse(text) as readonly z.infer<typeof resultRecord>[];
  return records.some(
    ({ statusCode, channelStatus: { exceptionMessage } }) =>
      exceptionMessage !== undefined &&
      exceptionMessage !== HIDDEN_CONDITION_MESSAGE &&
      // A record without details may tell of one.
      (statusCode?.startsWith('WRITE_CONDITION_') ?? true),
  );
}

/** Reads the maximum age of values (RFC 9111, 5.2.1.1); 0 when the client gives none, or more than one. */
function findMaxAgeMs({ headers }: IncomingMessage): number {
  const field = headers['cache-control'];
  if (field === undefined) return 0;
  const directives = field.split(',').map((part) => part.trim().toLowerCase());
  const ages = directives.flatMap((directive) => /^max-age="?(\d{1,9})"?$/.exec(directive)?.[1] ?? []);
  return ages.length === 1 ? Number(ages[0]) * 1000 : 0;
}
