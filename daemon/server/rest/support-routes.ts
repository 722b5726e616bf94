import { hostname, release, totalmem, type, uptime } from 'node:os';

import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { BufferedLine, LogBuffer } from '../../base/log-buffer.ts';
import { redactSecrets } from '../../base/text/redact-secrets.ts';
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
import { ok } from '../http/answer.ts';
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
  readonly log: Pick<LogBuffer, 'read' | 'newestId'>;
  /** Secrets of the configuration, which no text of the log and of the report contains. */
  readonly listSecrets: () => readonly string[];
  /** Every endpoint of the gateway. */
  readonly routes: () => readonly Route[];
  /** Version of the product. */
  readonly version: string;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** Creates the endpoints that show the log, and collect what support needs. */
export function createSupportRoutes(parts: SupportRouteParts): readonly Route[] {
  const { log, listSecrets, routes, version, clock } = parts;
  return [
    implement(readGatewayLog, ({ query: { after, limit } }) => {
      const kept = log.read({ after, limit });
      const first = kept[0]?.id ?? log.newestId + 1;
      const secrets = listSecrets();
      return ok({
        lines: kept.flatMap((line) => toLine(line, secrets)),
        newest: log.newestId,
        isIncomplete: after !== undefined && first > after + 1,
      });
    }),
    implement(collectSupport, async (call) => {
      const reported = routes().filter(({ method, path }) => method === 'GET' && REPORTED.has(path));
      const responses = await Promise.all(
        reported.map(async (route) => [route.path, await readResponse(route, call)] as const),
      );
      const report = {
        createdAt: clock.epochMs(),
        gateway: describeGateway(version),
        responses: Object.fromEntries(responses),
      };
      return { status: 200, json: redactSecrets(JSON.stringify(report), listSecrets()) };
    }),
  ];
}

function toLine({ id, text }: BufferedLine, secrets: readonly string[]): readonly LogLine[] {
  try {
    const { time, level, event, ...fields } = JSON.parse(redactSecrets(text, secrets)) as Omit<LogLine, 'id'>;
    return [{ id, time, level, event, fields }];
  } catch {
    // What took the place of a secret was part of an escape sequence.
    return [];
  }
}

/** Returns what an endpoint would answer to the caller; its failure is part of the report. */
async function readResponse(route: Route, call: RequestContext): Promise<unknown> {
  try {
    const { json = '' } = await route.handle({ ...call, endpoint: route, parameters: {} });
    return JSON.parse(json.toString());
  } catch (error) {
    return { failure: messageOf(error) };
  }
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
