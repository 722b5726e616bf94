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
import { ok, okForEach } from '../../http/answer.ts';
import type { Answer } from '../../http/answer.ts';
import { noteChannelWrite } from './channel-write-note.ts';
import type { RestSettings } from '../../../settings/rest-settings.ts';
import { showsDetails } from './record-details.ts';
import type { RenderRecords } from './record-json.ts';
import { implement } from '../../http/implement.ts';
import type { CallOf } from '../../http/implement.ts';
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
import { findLabelledValue } from '../../../channel/value-labels.ts';
import type { ChannelValue } from '../../../channel/value-type.ts';

// A message stays readable.
const MAXIMUM_CHOICES = 20;

type RequestedWrite = BodyOf<typeof writeChannels>['channels'][number];

type WriteCall = Pick<CallOf<typeof writeChannels>, 'parameters' | 'body' | 'principal'>;
type RenderedCall = Pick<CallOf<typeof readAsset | typeof readChannels | typeof writeChannels>, 'request'> & {
  /** Absent in a response that replaces the operation. */
  readonly query?: { readonly labels?: string | undefined };
};

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
      if (!showsDetails(request, rest())) return okForEach(channels, toPlainRecord, clock);
      const reported = await listDeviceAccess(granted.asset.connection, channels, clock);
      const toRecord = ([index, channel]: readonly [number, Channel]) => {
        const deviceAccess = reported[index];
        const record = toChannelRecord(channel, granted.termsOf(channel));
        return deviceAccess === undefined ? record : Object.assign(record, { deviceAccess });
      };
      return okForEach(channels.entries(), toRecord, clock);
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
  const render = ({ request, query }: RenderedCall, records: readonly ChannelRecord[]): Buffer =>
    renderRecords(records, {
      hasDetails: showsDetails(request, rest()),
      hasLabels: query?.labels === 'true',
    });
  const writesOf = (call: WriteCall): readonly ChannelWrite[] => toChannelWrites(call, access);
  const toReadAnswer = (
    context: RenderedCall,
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
      describeAttempt(call, nowMs) {
        const { pid } = call.parameters;
        const writes = writesOf(call);
        return noteChannelWrite(pid, writes, recordInterruptedWrite(writes, nowMs));
      },
      answerInstead(call, { text, nowMs }) {
        const asset = access.open(callerOf(call), call.parameters.pid);
        const writes = writesOf(call);
        const showsReadBack = text.includes('"readBack"');
        const records = asset.withhold(writes, {
          showsReadBack,
          showsConditions: revealsCondition(text),
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
        const writes = writesOf(call);
        const records = recordInterruptedWrite(writes, nowMs);
        call.auditAnnotation = noteChannelWrite(pid, writes, records);
        return { status: 200, json: render(call, records) };
      },
      async handle(call) {
        const { pid } = call.parameters;
        const asset = access.open(callerOf(call), pid);
        const writes = writesOf(call);
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
  const { labels } = channel;
  return {
    ...head,
    ...scaleOf(channel),
    ...(labels === undefined ? {} : { labels }),
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

/** True if a response reveals more of a condition than that it is false. */
function revealsCondition(text: string): boolean {
  const records = JSON.parse(text) as readonly ResultRecord[];
  return records.some(
    ({ statusCode, channelStatus: { exceptionMessage } }) =>
      exceptionMessage !== undefined &&
      exceptionMessage !== HIDDEN_CONDITION_MESSAGE &&
      // A record without details may contain one.
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
 * Returns the elements of a body as writes.
 *
 * @throws {InvalidRequest} `VALUE_UNPARSABLE` that names the channel, and its labels to callers that may see it
 */
function toChannelWrites(call: WriteCall, access: AssetAccess): readonly ChannelWrite[] {
  const { pid } = call.parameters;
  // Only a text that is no value of its type may be a label: other writes look up nothing.
  const findChannel = (name: string): Channel | undefined =>
    access
      .open(callerOf(call), pid)
      .listChannels()
      .find((channel) => channel.name === name);
  return call.body.channels.map(({ name, type, value, ifValue }, index) => {
    const parse = (given: typeof value): ChannelValue =>
      parseValue(type, given) ?? parseLabel({ name, type, value: given }, index, findChannel(name));
    const write = { name, valueType: type, value: parse(value) };
    return ifValue === undefined ? write : { ...write, ifValue: parse(ifValue) };
  });
}

function parseLabel(
  { name, type, value }: RequestedWrite,
  index: number,
  channel: Channel | undefined,
): ChannelValue {
  const labelled = channel?.valueType === type && channel.labels !== undefined ? channel : undefined;
  const parsed =
    labelled !== undefined && typeof value === 'string' ? findLabelledValue(labelled, value) : undefined;
  if (parsed !== undefined) return parsed;
  const shown = JSON.stringify(String(value).slice(0, 40));
  const detail = `channels[${index}]: the value ${shown} for channel "${name}" ${describeExpected(type, labelled)}`;
  throw new InvalidRequest({ code: 'VALUE_UNPARSABLE', detail });
}

function describeExpected(type: string, labelled: Channel | undefined): string {
  const choices = Object.values(labelled?.labels ?? {});
  if (choices.length === 0) return `is not a valid ${type}, or out of range`;
  const more = choices.length > MAXIMUM_CHOICES ? ', …' : '';
  return `is neither a valid ${type} nor a label; expected ${choices.slice(0, MAXIMUM_CHOICES).join(', ')}${more}`;
}
