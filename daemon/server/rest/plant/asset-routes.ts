import type { IncomingMessage } from 'node:http';

import type { AssetReading } from '../../../plant/asset/asset.ts';
import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import { HIDDEN_CONDITION_MESSAGE } from '../../../plant/access/redact-write-record.ts';
import type { ShownTerms } from '../../../plant/access/redact-write-record.ts';
import { listDeviceAccess } from '../../../plant/asset/connection/device-access.ts';
import { recordInterruptedWrite } from '../../../plant/asset/write/interrupted-write.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Channel } from '../../../channel/channel.ts';
import type { ChannelRecord } from '../../../channel/channel-record.ts';
import { labelOf } from '../../../channel/label.ts';
import { ok } from '../../http/answer.ts';
import type { Answer } from '../../http/answer.ts';
import { noteChannelWrite } from './channel-write-note.ts';
import type { RestSettings } from '../../../settings/rest-settings.ts';
import { showsDetails } from './record-details.ts';
import type { RenderRecords } from './record-json.ts';
import { implement } from '../../http/implement.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { isTrial, splitList } from '../../http/query.ts';
import type { Route } from '../../http/route.ts';
import { callerOf } from '../caller.ts';
import {
  listAssets,
  listChannels,
  readAsset,
  readChannels,
  writeChannels,
} from '../../../interface/plant/assets.ts';
import type { ResultRecord } from '../../../interface/plant/assets.ts';
import type { ResultOf, BodyOf } from '../../../interface/endpoint.ts';
import type { ChannelWrite } from '../../../plant/asset/write/prepared-write.ts';
import { WriteEnding } from '../../../plant/asset/write/write-ending.ts';
import { InvalidRequest } from '../../../base/errors.ts';
import { parseValue } from '../../../channel/value-json.ts';

type RequestedWrite = BodyOf<typeof writeChannels>['channels'][number];

type ListedChannel = ResultOf<typeof listChannels>[number];

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
    implement(listAssets, ({ principal }) =>
      ok(access.list(callerOf({ principal })).map(({ config }) => config.pid)),
    ),
    implement(listChannels, async ({ request, principal, parameters: { pid } }) => {
      const granted = access.open(callerOf({ principal }), pid);
      const channels = granted.listChannels();
      if (!showsDetails(request, rest())) return ok(channels.map(toPlainRecord));
      const told = await listDeviceAccess(granted.asset.connection, channels, clock);
      return ok(
        channels.map((channel, index) => {
          const deviceAccess = told[index];
          const record = toChannelRecord(channel, granted.termsOf(channel));
          return deviceAccess === undefined ? record : Object.assign(record, { deviceAccess });
        }),
      );
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
    context: Pick<RequestContext, 'request'>,
    { records, ageMs }: AssetReading,
    maxAgeMs: number,
  ): Answer<never> => {
    const headers = maxAgeMs > 0 ? { Age: String(Math.ceil(ageMs / 1000)) } : {};
    return { status: 200, headers, json: render(context, records) };
  };
  return [
    implement(readAsset, async (call) => {
      const maxAgeMs = findMaxAgeMs(call.request);
      const asset = access.open(callerOf(call), call.parameters.pid);
      const names = splitList('channels', call.query.channels, 'a name');
      const reading = names === undefined ? asset.readAll(maxAgeMs) : asset.read(names, maxAgeMs);
      return toReadAnswer(call, await reading, maxAgeMs);
    }),
    implement(readChannels, async (call) => {
      const maxAgeMs = findMaxAgeMs(call.request);
      const asset = access.open(callerOf(call), call.parameters.pid);
      return toReadAnswer(call, await asset.read(call.body.channels, maxAgeMs), maxAgeMs);
    }),
    implement(writeChannels, {
      describeAttempt({ parameters: { pid }, body }, nowMs) {
        const writes = body.channels.map(toChannelWrite);
        return noteChannelWrite(pid, writes, recordInterruptedWrite(writes, nowMs));
      },
      answerInstead(call, { text, nowMs }) {
        const asset = access.open(callerOf(call), call.parameters.pid);
        const writes = call.body.channels.map(toChannelWrite);
        const showsReadBack = text.includes('"readBack"');
        const records = asset.withhold(writes, {
          showsReadBack,
          showsConditions: tellsCondition(text),
          nowMs,
        });
        return records === undefined ? undefined : { status: 200, json: render(call, records) };
      },
      answerInterrupted(call, nowMs) {
        const { pid } = call.parameters;
        // An asset that the caller may no longer use is unknown to it.
        access.open(callerOf(call), pid);
        // Nothing was sent, and nothing will be.
        if (isTrial(call.request)) return undefined;
        const writes = call.body.channels.map(toChannelWrite);
        const records = recordInterruptedWrite(writes, nowMs);
        call.auditAnnotation = noteChannelWrite(pid, writes, records);
        return { status: 200, json: render(call, records) };
      },
      async handle(call) {
        const { pid } = call.parameters;
        const asset = access.open(callerOf(call), pid);
        const writes = call.body.channels.map(toChannelWrite);
        call.auditAnnotation = noteChannelWrite(pid, writes);
        const isDryRun = call.query.dryRun === 'true';
        const ending = beginEnding(call, clock, writeDeadlineMs());
        const records = await asset
          .write(writes, { isDryRun, ending: ending.signal })
          .finally(() => ending.stop());
        call.auditAnnotation = noteChannelWrite(pid, writes, asset.reveal(records));
        return { status: 200, json: render(call, records) };
      },
    }),
  ];
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
}: Channel): ListedChannel {
  const head = { name, type, valueType, scaleOffsetType, valueScale, valueOffset };
  return { ...head, ...(unit === undefined ? {} : { unit }), isEnabled };
}

function toChannelRecord(channel: Channel, write: ShownTerms | undefined): ListedChannel {
  const { isEnabled, ...head } = toPlainRecord(channel);
  return {
    ...head,
    ...scaleOf(channel),
    ...labelOf(channel),
    isEnabled,
    ...(write === undefined ? {} : { write }),
  };
}

function scaleOf({ scaleFrom }: Channel): Pick<ListedChannel, 'scaleFrom'> {
  if (scaleFrom === undefined) return {};
  const { channel, kind } = scaleFrom;
  return { scaleFrom: channel === undefined ? { kind } : { channel, kind } };
}

/** Returns whether an answer tells more of a condition than that it does not hold. */
function tellsCondition(text: string): boolean {
  const records = JSON.parse(text) as readonly ResultRecord[];
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

/** Has a write end at its deadline, or when its client is gone; to be stopped when it is done. */
function beginEnding(
  { response, startedAtMs }: Pick<RequestContext, 'response' | 'startedAtMs'>,
  clock: Clock,
  deadlineMs: number,
): WriteEnding {
  const ending = new WriteEnding(clock, deadlineMs, clock.monotonicMs() - startedAtMs);
  // It closes after the answer as well, when nothing is left to end.
  response.once('close', () => ending.leave());
  if (response.destroyed) ending.leave();
  return ending;
}

/**
 * Returns an element of a body as a write.
 *
 * @throws {InvalidRequest} `VALUE_UNPARSABLE` that names the channel
 */
function toChannelWrite({ name, type, value, ifValue }: RequestedWrite, index: number): ChannelWrite {
  const write = { name, valueType: type, value: parseOrThrow({ name, type, value }, index) };
  return ifValue === undefined
    ? write
    : { ...write, ifValue: parseOrThrow({ name, type, value: ifValue }, index) };
}

function parseOrThrow({ name, type, value }: RequestedWrite, index: number): ChannelWrite['value'] {
  const parsed = parseValue(type, value);
  if (parsed !== undefined) return parsed;
  const shown = JSON.stringify(String(value).slice(0, 40));
  const detail = `channels[${index}]: the value ${shown} for channel "${name}" is not a valid ${type}, or out of range`;
  throw new InvalidRequest({ code: 'VALUE_UNPARSABLE', detail });
}
