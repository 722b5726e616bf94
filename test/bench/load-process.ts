import { once } from 'node:events';

import { openTls, RawConnection } from './raw-connection.ts';
import type { TlsClient } from './raw-connection.ts';
import { serveRemote } from './remote.ts';
import { quantile } from './statistics.ts';

/** Clients that do the same. */
export interface Clients extends TlsClient {
  /** Whole requests as they go over the wire; client n sends number n, and all begin again at the first. */
  readonly requests: readonly string[];
  readonly count: number;
  /** Time from one request of a client to its next; absent: it sends when the answer has come. */
  readonly intervalMs?: number;
  /** Each request is sent once, by the client that is free; the run ends when none is left. */
  readonly areSentOnce?: boolean;
  /** FAILURE records are right answers. */
  readonly expectsFailures?: boolean;
}

/** The results of the requests of some clients. */
export interface LoadResult {
  readonly requests: number;
  /** Answers other than 200, with FAILURE records, or none at all; refused ones not counted. */
  readonly failures: number;
  /** Answers 503. */
  readonly refused: number;
  readonly seconds: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

export interface HandshakeResult {
  readonly handshakes: number;
  readonly resumed: number;
  readonly seconds: number;
}

interface OpenClients {
  readonly clients: Clients;
  readonly connections: readonly RawConnection[];
}

const HANDSHAKES_AT_ONCE = 4;
const OPENED_AT_ONCE = 10;
// A client that is told to come later does so.
const RETRY_AFTER_MS = 1000;
const opened = new Map<number, OpenClients>();
let ids = 0;

serveRemote({ open, run, close, handshake });

async function open(clients: Clients): Promise<number> {
  const expectsFailures = clients.expectsFailures ?? false;
  const connections: RawConnection[] = [];
  while (connections.length < clients.count) {
    const length = Math.min(OPENED_AT_ONCE, clients.count - connections.length);
    const opening = Array.from({ length }, () => RawConnection.open(clients, expectsFailures));
    const batch = await Promise.all(opening);
    // A network may have few connections on which nobody has shown who they are: the gateway closes those beyond.
    if (clients.count > OPENED_AT_ONCE) {
      await Promise.all(
        batch.map((connection, index) => introduce(connection, clients, connections.length + index)),
      );
    }
    connections.push(...batch);
  }
  ids += 1;
  opened.set(ids, { clients, connections });
  return ids;
}

function introduce(connection: RawConnection, clients: Clients, index: number): Promise<void> {
  return new Promise((resolve) => connection.send(requestOf(clients, index), () => resolve()));
}

function requestOf({ requests }: Clients, index: number): Buffer {
  return Buffer.from(requests[index % requests.length] ?? '');
}

function close(id: number): void {
  for (const connection of opened.get(id)?.connections ?? []) connection.close();
  opened.delete(id);
}

function run({
  list,
  durationMs,
}: {
  readonly list: readonly number[];
  readonly durationMs: number;
}): Promise<readonly LoadResult[]> {
  return Promise.all(
    list.map((id) => {
      const found = opened.get(id);
      if (found === undefined) throw new RangeError(`no clients ${id}`);
      return runClients(found, durationMs);
    }),
  );
}

async function runClients({ clients, connections }: OpenClients, durationMs: number): Promise<LoadResult> {
  const latencies: number[] = [];
  const outcomes = { GOOD: 0, REFUSED: 0, BAD: 0 };
  const start = performance.now();
  const deadline = start + durationMs;
  const inTurn =
    (clients.areSentOnce ?? false) ? clients.requests.map((text) => Buffer.from(text)).values() : undefined;
  await Promise.all(connections.map((connection, index) => runClient(connection, index)));
  const seconds = (performance.now() - start) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: latencies.length,
    failures: outcomes.BAD,
    refused: outcomes.REFUSED,
    seconds,
    p50Us: quantile(sorted, 0.5),
    p99Us: quantile(sorted, 0.99),
  };

  function runClient(connection: RawConnection, index: number): Promise<void> {
    const own = requestOf(clients, index);
    const { intervalMs } = clients;
    return new Promise((resolve) => {
      const next = (): void => {
        if (!connection.isOpen) {
          outcomes.BAD += 1;
          resolve();
          return;
        }
        const request = inTurn === undefined ? own : inTurn.next().value;
        if (request === undefined) {
          resolve();
          return;
        }
        const sentAt = performance.now();
        connection.send(request, (outcome) => {
          const now = performance.now();
          latencies.push((now - sentAt) * 1000);
          outcomes[outcome] += 1;
          const pauseMs = outcome === 'REFUSED' ? RETRY_AFTER_MS : (intervalMs ?? 0) - (now - sentAt);
          if (now + Math.max(0, pauseMs) >= deadline) resolve();
          else if (pauseMs <= 0) next();
          else setTimeout(next, pauseMs);
        });
      };
      // Paced clients do not all begin at once.
      if (intervalMs === undefined) next();
      else setTimeout(next, (intervalMs * index) / clients.count);
    });
  }
}

async function handshake({
  client,
  request,
  isResumed,
  durationMs,
}: {
  readonly client: TlsClient;
  /** Brings the session ticket, which comes after the handshake. */
  readonly request: string;
  readonly isResumed: boolean;
  readonly durationMs: number;
}): Promise<HandshakeResult> {
  const session = isResumed ? await fetchTicket(client, request) : undefined;
  const start = performance.now();
  const deadline = start + durationMs;
  const counts = { handshakes: 0, resumed: 0 };
  await Promise.all(
    Array.from({ length: HANDSHAKES_AT_ONCE }, async () => {
      while (performance.now() < deadline) {
        const socket = await openTls(client, { session });
        socket.on('error', () => undefined);
        counts.handshakes += 1;
        if (socket.isSessionReused()) counts.resumed += 1;
        const closed = once(socket, 'close');
        socket.resume();
        socket.end();
        await closed;
      }
    }),
  );
  return { ...counts, seconds: (performance.now() - start) / 1000 };
}

async function fetchTicket(client: TlsClient, request: string): Promise<Buffer> {
  const socket = await openTls(client);
  const ticket = once(socket, 'session') as Promise<[Buffer]>;
  socket.write(request);
  const [session] = await ticket;
  socket.destroy();
  return session;
}
