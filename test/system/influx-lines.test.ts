import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { readHistory } from '../../daemon/interface/plant/history.ts';
import { listBundles } from '../../daemon/interface/software/bundles.ts';
import { answerOf } from '../support/answer-of.ts';
import { buildExamplePackage } from '../support/example-package.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { uploadPackage } from '../support/package-upload.ts';
import { startInfluxDb, startVictoriaMetrics } from '../support/time-series-database.ts';
import type { StoredPoint, TimeSeriesDatabase } from '../support/time-series-database.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

const NAME = 'org.example.influx-lines';
const PASSWORD = 'historian-password-7';
const PAUSE_MS = 50;

/** What happens to a request on its way to the database. */
type Fate = 'PASSED' | 'REFUSED' | 'ANSWER_LOST' | 'TOO_LARGE';

/** Relays requests of a bundle to its database, or does not. */
interface Relay {
  readonly port: number;
  fate: Fate;
  /** Requests by what happened to them. */
  readonly counts: Record<Fate, number>;
}

async function startRelay(t: Owner, database: TimeSeriesDatabase): Promise<Relay> {
  const counts: Record<Fate, number> = { PASSED: 0, REFUSED: 0, ANSWER_LOST: 0, TOO_LARGE: 0 };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const relay: Relay = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    fate: 'PASSED',
    counts,
  };
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isLong = body.includes('\n');
    const fate = relay.fate === 'TOO_LARGE' && !isLong ? 'PASSED' : relay.fate;
    counts[fate] += 1;
    if (fate === 'REFUSED') return void response.writeHead(503).end('busy');
    if (fate === 'TOO_LARGE') return void response.writeHead(413).end();
    const { status } = await fetch(`http://127.0.0.1:${database.port}${request.url ?? ''}`, {
      method: 'POST',
      body,
    });
    if (fate === 'ANSWER_LOST') return void request.socket.destroy();
    response.writeHead(status).end();
  }
  return relay;
}

/** Starts a gateway that records a level, with the example installed and sending through a relay. */
async function startSending(t: TestContext, database: TimeSeriesDatabase) {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const relay = await startRelay(t, database);
  const address = { table: 'HOLDING_REGISTERS', offset: 7, dataType: 'UINT16' };
  const level = { name: 'level', type: 'READ_WRITE', valueType: 'INTEGER', address };
  const url = `http://127.0.0.1:${relay.port}${database.writePath}`;
  const gateway = await startGateway(t, {
    config: {
      provision: {
        identities: [{ name: 'operator', permissions: ['rest.deploy', 'rest.assets'], password: PASSWORD }],
        drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: device.port }],
        assets: [{ pid: 'tank', driver: 'plc', channels: [level] }],
        recorders: [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'tank' }] }],
        bundles: [{ pid: NAME, settings: { url, recorder: 'fast' } }],
      },
    },
  });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('operator', PASSWORD);
  const installed = await uploadPackage(client, buildExamplePackage('influx-lines'));
  assert.equal(installed.state, 'COMPLETED', installed.message);
  const readStatus = async () => {
    const bundles = answerOf(listBundles, await client.send('GET', '/services/deploy/v2/_bundles'));
    return bundles[0]?.status;
  };
  return {
    relay,
    readStatus,
    write: async (value: number): Promise<void> => {
      const body = { channels: [{ name: 'level', type: 'INTEGER', value }] };
      const { status } = await client.send('POST', '/services/assets/tank/_write', { body });
      assert.equal(status, 200);
    },
    /** Returns what the gateway has recorded since a time. */
    readRecorded: async (from: number): Promise<readonly StoredPoint[]> => {
      const answer = await client.send('GET', `/services/history/v1/tank?limit=100000&from=${from}`);
      const { samples = [] } = answerOf(readHistory, answer);
      return samples.map(({ timestamp, value }): StoredPoint => [timestamp, value]);
    },
    async await(condition: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await condition())) await wait(PAUSE_MS);
    },
  };
}

type Sending = Awaited<ReturnType<typeof startSending>>;

/** Waits until a database has so many points more than now. */
async function awaitPoints(database: TimeSeriesDatabase, count: number): Promise<readonly StoredPoint[]> {
  const before = (await database.read('tank', 'level')).length;
  for (;;) {
    const points = await database.read('tank', 'level');
    if (points.length >= before + count) return points;
    await wait(PAUSE_MS);
  }
}

/** Compares what a database holds with what the gateway recorded in the same time. */
async function compare({ readRecorded }: Sending, points: readonly StoredPoint[]): Promise<void> {
  const [first = [0], last = [0]] = [points[0], points.at(-1)];
  const recorded = await readRecorded(first[0]);
  const same = recorded.filter(([timeMs]) => timeMs <= last[0]);
  assert.deepEqual(points, same);
}

test(
  'VictoriaMetrics has each sample once, also those of an outage and those whose answer was lost',
  needs('victoria-metrics', 'libmodbus'),
  async (t) => {
    const database = await startVictoriaMetrics(t);
    const sending = await startSending(t, database);
    const { relay, readStatus, write } = sending;
    await awaitPoints(database, 5);
    relay.fate = 'REFUSED';
    await write(1000);
    await sending.await(() => relay.counts.REFUSED >= 2);
    // Its report is on its way to the gateway while the next request is already here.
    await sending.await(async () => (await readStatus())?.state === 'ERROR');
    assert.match((await readStatus())?.detail ?? '', /^the database answered 503 busy$/);
    relay.fate = 'ANSWER_LOST';
    await write(2000);
    await sending.await(() => relay.counts.ANSWER_LOST >= 1);
    relay.fate = 'PASSED';
    await write(3000);
    let points: readonly StoredPoint[] = [];
    while (points.at(-1)?.[1] !== 3000) points = await awaitPoints(database, 1);
    await compare(sending, points);
    assert.deepEqual(
      [...new Set(points.map(([, value]) => value))],
      [7, 1000, 2000, 3000],
      'samples of each time are there',
    );
    await sending.await(async () => (await readStatus())?.state === 'OK');
  },
);

test(
  'InfluxDB has each sample, also in pieces if it takes only small requests',
  needs('influxd', 'libmodbus'),
  async (t) => {
    const database = await startInfluxDb(t);
    const sending = await startSending(t, database);
    const { relay, readStatus, write } = sending;
    relay.fate = 'REFUSED';
    await sending.await(() => relay.counts.REFUSED >= 2);
    relay.fate = 'TOO_LARGE';
    await sending.await(() => relay.counts.TOO_LARGE >= 1);
    await sending.await(() => relay.counts.PASSED >= 2);
    relay.fate = 'PASSED';
    await write(4000);
    let points: readonly StoredPoint[] = [];
    while (points.at(-1)?.[1] !== 4000) points = await awaitPoints(database, 1);
    await compare(sending, points);
    await sending.await(async () => (await readStatus())?.state === 'OK');
    const counters = (await readStatus())?.counters;
    assert.equal(counters?.['refused'], 0);
  },
);
