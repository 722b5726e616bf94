import { answerFrame, startFaultServer } from '../support/modbus-fault-server.ts';
import { serveRemote } from './remote.ts';

export interface DeviceOptions {
  /** Time from a request to its answer; requests of one connection are answered one after the other. */
  readonly answerDelayMs: number;
  /** Units that never answer; `ALL` for a device that only accepts connections. */
  readonly silentUnits: readonly number[] | 'ALL';
  /** Interval after which each register has counted up, so that no later read finds what one before it found; absent: never. */
  readonly stepMs?: number;
  /** Where it listens; the loopback unless given. */
  readonly host?: string;
}

/** Requests to a device since the previous count. */
export interface DeviceCount {
  readonly requests: number;
  /** Time from each request to a silent unit to the next request, which had to wait for it. */
  readonly blockedMs: number;
}

let requests = 0;
let blockedMs = 0;
let blockedSince: number | undefined;

serveRemote({ listen, count });

async function listen({
  answerDelayMs,
  silentUnits,
  stepMs = Infinity,
  host,
}: DeviceOptions): Promise<number> {
  const server = await startFaultServer((request, connection) => {
    requests += 1;
    endBlocking();
    if (silentUnits === 'ALL' || silentUnits.includes(request.unitId)) {
      blockedSince = performance.now();
    } else if (answerDelayMs === 0) {
      connection.send(answerFrame(request, Math.floor(performance.now() / stepMs)));
    } else {
      setTimeout(() => connection.send(answerFrame(request)), answerDelayMs);
    }
  }, host);
  return server.port;
}

function count(): DeviceCount {
  const counted = { requests, blockedMs };
  requests = 0;
  blockedMs = 0;
  // There may be no client waiting.
  blockedSince = undefined;
  return counted;
}

function endBlocking(): void {
  if (blockedSince !== undefined) blockedMs += performance.now() - blockedSince;
  blockedSince = undefined;
}
