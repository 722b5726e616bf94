import { hostname, release, totalmem, type, uptime } from 'node:os';

import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { BufferedLine, LogBuffer } from '../../base/log-buffer.ts';
import { joinInSlices, runInSlices } from '../../base/slices.ts';
import type { SliceClock, Slices } from '../../base/slices.ts';
import { createRedaction } from '../../base/text/redact-secrets.ts';
import { jsonPieces } from '../../base/text/json-pieces.ts';
import { listCertificates, checkStatus, collectSupport, readGatewayLog } from '../../interface/status.ts';
import type { LogLine } from '../../interface/status.ts';
import { readDrift } from '../../interface/configuration/drift.ts';
import {
  listSnapshots,
  readConfiguration,
  readPendingChange,
} from '../../interface/configuration/configuration.ts';
import { listAssetStatus } from '../../interface/plant/asset-status.ts';
import { listDrivers } from '../../interface/plant/drivers.ts';
import { listHistory } from '../../interface/plant/history.ts';
import { listBundles } from '../../interface/software/bundles.ts';
import { listPackages, listOperations } from '../../interface/software/packages.ts';
import { ok, PIECE_LENGTH } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import { parseByElements, scanJson } from '../http/body/scan-json.ts';
import { implement } from '../http/implement.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';

/** Endpoints of the report; none takes parameters or sends a request to a device. */
const REPORTED: ReadonlySet<string> = new Set(
  [
    checkStatus,
    listCertificates,
    readGatewayLog,
    listDrivers,
    listAssetStatus,
    listHistory,
    listPackages,
    listOperations,
    listBundles,
    readConfiguration,
    readPendingChange,
    listSnapshots,
    readDrift,
  ].map(({ path }) => path),
);

interface SupportRouteParts {
  readonly log: Pick<LogBuffer, 'read' | 'newestId' | 'run'>;
  /** Secrets of the configuration, which no text of the log and of the report contains. */
  readonly listSecrets: () => Promise<readonly string[]>;
  /** Every endpoint of the gateway. */
  readonly routes: () => readonly Route[];
  /** Version of the product. */
  readonly version: string;
  readonly clock: SliceClock & Pick<Clock, 'epochMs'>;
}

/** Creates the endpoints that show the log, and collect what support needs. */
export function createSupportRoutes(parts: SupportRouteParts): readonly Route[] {
  const { log, listSecrets, routes, version, clock } = parts;
  return [
    implement(readGatewayLog, async ({ query: { after, limit } }) => {
      const kept = log.read({ after, limit });
      // Read together: a line that is logged while the secrets are listed belongs to the next answer.
      const newest = log.newestId;
      const first = kept[0]?.id ?? newest + 1;
      const redact = createRedaction(await listSecrets());
      return ok({
        lines: kept.flatMap((line) => toLine(line, redact)),
        newest,
        run: log.run,
        isIncomplete: after !== undefined && first > after + 1,
      });
    }),
    implement(collectSupport, async (call) => {
      const reported = routes().filter(({ method, path }) => method === 'GET' && REPORTED.has(path));
      const head = { createdAt: clock.epochMs(), gateway: describeGateway(version) };
      return {
        status: 200,
        pieces: {
          type: 'application/json',
          parts: writeReport(head, reported, { call, listSecrets, clock }),
        },
      };
    }),
  ];
}

function toLine({ id, text }: BufferedLine, redact: (text: string) => string): readonly LogLine[] {
  try {
    const { time, level, event, ...fields } = JSON.parse(redact(text)) as Omit<LogLine, 'id'>;
    return [{ id, time, level, event, fields }];
  } catch {
    // What took the place of a secret was part of an escape sequence.
    return [];
  }
}

interface ReportParts {
  readonly call: RequestContext;
  readonly listSecrets: SupportRouteParts['listSecrets'];
  readonly clock: SupportRouteParts['clock'];
}

/** Yields the report as JSON text, with what each endpoint would answer to the caller; its failure is part of the report. */
async function* writeReport(
  head: object,
  routes: readonly Route[],
  { call, listSecrets, clock }: ReportParts,
): AsyncGenerator<string, void, undefined> {
  const redactHead = createRedaction(await listSecrets());
  yield `${redactHead(JSON.stringify(head)).slice(0, -1)},"responses":{`;
  for (const [index, route] of routes.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(route.path)}:`;
    // Listed for each: a slow client may read while secrets change. No secret is in two pieces: each has whole values.
    const redact = createRedaction(await listSecrets());
    for await (const piece of readPieces(route, call, clock)) yield redact(piece);
  }
  yield '}}';
}

async function* readPieces(
  route: Route,
  call: RequestContext,
  clock: SupportRouteParts['clock'],
): AsyncGenerator<string, void, undefined> {
  let answer: Answer;
  try {
    answer = await route.handle({ ...call, endpoint: route, parameters: {} });
  } catch (error) {
    yield JSON.stringify({ failure: messageOf(error) });
    return;
  }
  if (answer.pieces !== undefined) {
    for await (const part of answer.pieces.parts) yield part.toString();
    return;
  }
  const text = Buffer.from(answer.json ?? 'null');
  if (text.length <= PIECE_LENGTH) yield text.toString();
  else yield* joinInSlices(jsonPieces(await runInSlices(parseLarge(text), clock)), PIECE_LENGTH, clock);
}

function* parseLarge(text: Buffer): Slices<unknown> {
  const { lists } = yield* scanJson(text, { maximumDepth: Infinity, maximumNames: Infinity });
  return lists === undefined
    ? (JSON.parse(text.toString()) as unknown)
    : yield* parseByElements(text, lists, JSON.parse);
}

function describeGateway(version: string) {
  const { version: runtime, arch: architecture } = process;
  return {
    version,
    runtime: `Node.js ${runtime}`,
    system: `${type()} ${release()}`,
    architecture,
    hostName: hostname(),
    uptimeSeconds: Math.floor(process.uptime()),
    machineUptimeSeconds: Math.floor(uptime()),
    memoryBytes: process.memoryUsage.rss(),
    machineMemoryBytes: totalmem(),
  };
}
