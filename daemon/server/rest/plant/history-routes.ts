import type { Clock } from '../../../base/clock.ts';
import { messageOf, Unavailable } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { listHistory, readHistory } from '../../../interface/plant/history.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { GrantedAsset } from '../../../plant/access/granted-asset.ts';
import type { History } from '../../../plant/history/history.ts';
import type { HistoryQuery, HistoryRow } from '../../../plant/history/history-query.ts';
import { isPermitted } from '../../../security/identity/permission.ts';
import { ok } from '../../http/answer.ts';
import { chooseType } from '../../http/content-negotiation.ts';
import { signalOf } from '../../http/departure.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { callerOf } from '../caller.ts';
import { parseHistoryQuery } from './history-query.ts';
import { createHistoryWriter, HISTORY_TYPES } from './history-text.ts';
import type { HistoryWriter } from './history-text.ts';

/** Asset that a recorder records. */
export interface RecordedAsset {
  /** Its pid. */
  readonly asset: string;
  /** Undefined: every enabled, readable channel. */
  readonly channels?: readonly string[] | undefined;
}

/** What is kept of a recorder. */
export interface RecordedHistory {
  readonly recorder: string;
  readonly assets: readonly RecordedAsset[];
  readonly bytes: number;
  readonly oldestMs: number | undefined;
}

/** Answers that are written at once; each may hold twice the rows of a page. */
export const MAXIMUM_READINGS = 16;
const RETRY_AFTER_SECONDS = 5;

type Consumers = NonNullable<ResultOf<typeof listHistory>['consumers']>;

interface HistoryRouteParts {
  readonly access: Pick<AssetAccess, 'open' | 'list'>;
  /** Undefined while nothing is recorded. */
  readonly history: () => Pick<History, 'read'> | undefined;
  readonly listRecorders: () => Promise<readonly RecordedHistory[]>;
  readonly listConsumers: () => Consumers;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Creates the endpoints that return what was recorded. */
export function createHistoryRoutes(parts: HistoryRouteParts): readonly Route[] {
  const { access, history, listRecorders, listConsumers, clock } = parts;
  const readings = { count: 0 };
  return [
    implement(listHistory, async ({ principal }) => {
      const caller = callerOf({ principal });
      const all = await listRecorders();
      const visible = new Set(access.list(caller).map(({ config }) => config.pid));
      const show = ({ asset, channels }: RecordedAsset): RecordedAsset => {
        if (channels === undefined) return { asset };
        return { asset, channels: access.open(caller, asset).chooseReadable(channels) };
      };
      const recorders = all.flatMap(({ recorder, bytes, oldestMs: oldest, ...recorded }) => {
        const assets = recorded.assets.filter(({ asset }) => visible.has(asset)).map(show);
        if (assets.length === 0) return [];
        return oldest === undefined ? { recorder, assets, bytes } : { recorder, assets, bytes, oldest };
      });
      const { identity } = caller;
      const seesConsumers =
        isPermitted(identity, 'rest.configuration') || isPermitted(identity, 'rest.admin');
      return ok(seesConsumers ? { recorders, consumers: listConsumers() } : { recorders });
    }),
    implement(readHistory, ({ request, response, principal, parameters: { asset: pid }, query }) => {
      const granted = access.open(callerOf({ principal }), pid);
      checkCapacity(readings);
      const { names, ...parameters } = parseHistoryQuery(query, clock.epochMs());
      const writer = createHistoryWriter(
        chooseType(request, HISTORY_TYPES),
        parameters.buckets !== undefined,
      );
      const { type, hasGapsLast } = writer;
      const channels = granted.chooseReadable(names);
      const wanted = { ...parameters, asset: pid, channels, hasGapsLast };
      const rows = history()?.read(wanted, signalOf(response)) ?? noRows();
      const written = writeRows({ rows, writer, granted, wanted, readings }, parts);
      return { status: 200, pieces: { type, parts: written } };
    }),
  ];
}

interface Writing {
  readonly rows: AsyncIterable<readonly HistoryRow[]>;
  readonly writer: HistoryWriter;
  readonly granted: GrantedAsset;
  readonly wanted: Pick<HistoryQuery, 'channels'>;
  /** Counts the answers that are being written. */
  readonly readings: { count: number };
}

/** @throws {Unavailable} `ANSWERS_EXHAUSTED` */
function checkCapacity({ count }: Writing['readings']): void {
  if (count < MAXIMUM_READINGS) return;
  const detail = `${count} answers with recorded samples are being sent`;
  throw new Unavailable({ code: 'ANSWERS_EXHAUSTED', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** @throws when the reading fails, or the caller loses the right to read a channel: the answer ends before its end */
async function* writeRows(
  { rows, writer, granted, wanted: { channels }, readings }: Writing,
  { logger }: Pick<HistoryRouteParts, 'logger'>,
): AsyncGenerator<string | Buffer, void, undefined> {
  readings.count += 1;
  try {
    yield writer.begin();
    for await (const some of rows) {
      if (!granted.mayStillRead(channels)) throw new RightEnded();
      yield writer.write(some);
    }
    yield writer.end();
  } catch (error) {
    const reason = messageOf(error);
    if (error instanceof RightEnded) logger.info('history.answerEnded', { reason });
    else logger.error('history.readFailed', { reason });
    throw error;
  } finally {
    readings.count -= 1;
  }
}

class RightEnded extends Error {
  constructor() {
    super('the caller may no longer read the channels');
  }
}

async function* noRows(): AsyncGenerator<readonly HistoryRow[], void, undefined> {
  // Nothing was recorded.
}
