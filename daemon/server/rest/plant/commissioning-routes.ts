import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { Decoding } from '../../../plant/asset/decode/decode-channel.ts';
import type { DecodeCandidate } from '../../../plant/asset/decode/decode-candidates.ts';
import type { RoundPlan } from '../../../plant/asset/read/read-selection.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import type { PlannedRequest } from '../../../channel/driver.ts';
import { formatByShape } from '../../../channel/value-syntax.ts';
import type { TrialReading, TrialReads } from '../../../plant/discovery/trial-reads.ts';
import { showCodes } from '../../../base/fault-reason.ts';
import { ok } from '../../http/answer.ts';
import type { Answer } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import { splitList } from '../../http/query.ts';
import type { Route } from '../../http/route.ts';
import { decodeChannel, planRead, tryConnection, tryDevice } from '../../../interface/plant/commissioning.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import { callerOf } from '../caller.ts';
import type { RenderRecords } from './record-json.ts';

/** Creates the endpoints for commissioning: the cost of a read, and the meaning of registers. */
export function createCommissioningRoutes(
  access: AssetAccess,
  clock: { epochMs(): number },
): readonly Route[] {
  return [
    implement(planRead, ({ principal, parameters: { pid }, query: { channels } }) => {
      const asset = access.open(callerOf({ principal }), pid);
      return ok(toReadPlan(asset.describeRead(splitList('channels', channels, 'a name'))));
    }),
    implement(decodeChannel, async ({ principal, parameters: { pid }, body: { channel, expected } }) => {
      const outcome = await access.open(callerOf({ principal }), pid).decode(channel, expected);
      return { status: 200, json: renderDecoding(channel, outcome, clock.epochMs()) };
    }),
  ];
}

/** Creates the endpoints that read channels before they are configured. */
export function createTrialRoutes(
  trials: TrialReads,
  { renderRecords, clock }: { readonly renderRecords: RenderRecords; readonly clock: { epochMs(): number } },
): readonly Route[] {
  const render = ({ records, decodings }: TrialReading): Answer<never> => {
    const shown = `{"records":${renderRecords(records).toString()}`;
    const list = decodings?.map(({ name, outcome }) => renderDecoding(name, outcome, clock.epochMs()));
    return {
      status: 200,
      json: list === undefined ? `${shown}}` : `${shown},"decodings":[${list.join(',')}]}`,
    };
  };
  return [
    implement(tryDevice, async ({ body: { type, settings, ...request } }) =>
      render(await trials.read(type, settings, request)),
    ),
    implement(tryConnection, async ({ parameters: { pid }, body }) =>
      render(await trials.readConfigured(pid, body)),
    ),
  ];
}

/** Returns the requests of a read and the sums of those that are sent; a time is absent where one of its parts is unknown. */
function toReadPlan({ requests, refused }: RoundPlan): ResultOf<typeof planRead> {
  const listed = requests ?? [];
  const sent = listed.filter(({ notSent }) => notSent === undefined);
  return {
    isPlanned: requests !== undefined,
    requests: listed.map(showRequest),
    total: {
      requests: sent.length,
      requestBytes: sum(sent.map((request) => request.requestBytes)),
      answerBytes: sum(sent.map((request) => request.answerBytes)),
      wireMs: round(sumOfKnown(sent.map(({ wireMs }) => wireMs))),
      measuredMs: round(sumOfKnown(sent.map(({ measuredMs }) => measuredMs))),
    },
    notRead: refused.map(({ name, failure: { message, status, code, reasons } }) => ({
      name,
      reason: message,
      statusCode: status ?? code,
      reasons: showCodes(reasons),
    })),
  };
}

function showRequest({ wireMs, measuredMs, nameReasons, notSentReasons, ...request }: PlannedRequest) {
  return {
    ...request,
    wireMs: round(wireMs),
    measuredMs: round(measuredMs),
    nameReasons: showCodes(nameReasons),
    notSentReasons: showCodes(notSentReasons),
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
    const { message, status, code, reasons } = outcome.failure;
    const channelStatus = { channelFlag: 'FAILURE', exceptionMessage: message };
    const cause = { statusCode: status ?? code, reasons: showCodes(reasons) };
    return JSON.stringify({ channelStatus, ...cause, name, timestamp: nowMs });
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
