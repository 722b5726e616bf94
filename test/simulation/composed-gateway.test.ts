import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { composeGateway } from '../../daemon/compose/gateway.ts';
import { systemHostServices } from '../../daemon/compose/host-services.ts';
import { loadSettingsFile } from '../../daemon/settings/settings-file.ts';
import { getServerCertificate } from '../support/certificate-authority.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';

const PASSWORD_COST = { memoryKib: 8, passes: 1, parallelism: 1 };

/** Composes a gateway in a world of its own, and starts it there. */
async function startInWorld(t: TestContext, seed: string) {
  const directory = createTemporaryDirectory(t);
  const { certificate, privateKey } = await getServerCertificate();
  writeFileSync(path.join(directory, 'server.crt'), certificate);
  writeFileSync(path.join(directory, 'server.key'), privateKey, { mode: 0o600 });
  const file = path.join(directory, 'penstock.yaml');
  const http = { ports: [80], httpsPorts: [443], httpsClientAuthPorts: [] };
  const tls = { certificateFile: 'server.crt', privateKeyFile: 'server.key' };
  writeFileSync(file, JSON.stringify({ dataDirectory: 'data', http, tls }));
  const time = new SimulatedTime();
  const servers = new Map<number | string, Server>();
  const logger = createMemoryLogger();
  const gateway = await composeGateway({
    loaded: await loadSettingsFile(file),
    logger,
    hostServices: {
      ...systemHostServices,
      clock: time,
      random: new Random(seed),
      passwordCost: PASSWORD_COST,
      listen: (server, { path: socket = '', port = socket }) => {
        servers.set(port, server);
        return Promise.resolve();
      },
    },
  });
  const settle = async (promise: Promise<unknown>): Promise<void> => {
    await Promise.all([promise, time.runUntil(time.monotonicMs() + 1000)]);
  };
  await settle(gateway.start(new AbortController().signal));
  return { directory, time, servers, logger, gateway, settle };
}

type World = Awaited<ReturnType<typeof startInWorld>>;

/** The client's end of a connection that exists in memory only. */
function connect(server: Server): { readonly socket: Duplex; received: string } {
  const client = { socket: new Duplex(), received: '' };
  const accepted = Object.assign(new Duplex(), { remoteAddress: '192.0.2.1' });
  client.socket._read = accepted._read = () => undefined;
  client.socket._write = (chunk: Buffer, _encoding, done) => {
    accepted.push(chunk);
    done();
  };
  accepted._write = (chunk: Buffer, _encoding, done) => {
    client.received += chunk.toString();
    done();
  };
  server.emit('connection', accepted);
  return client;
}

/** Asks once, and returns the answer. */
async function ask({ servers, time }: World, request: string): Promise<string> {
  const server = servers.get(80);
  assert.ok(server);
  const client = connect(server);
  client.socket.write(`${request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await time.runUntil(time.monotonicMs() + 1000);
  return client.received;
}

test('a composed gateway serves a world of its own without opening a port, and stops there', async (t) => {
  const world = await startInWorld(t, 'seed');
  const { directory, time, servers, logger, gateway, settle } = world;
  assert.deepEqual([...servers.keys()], [path.join(directory, 'data', 'penstock.sock'), 80, 443]);
  assert.deepEqual(gateway.openPorts(), { http: [80], https: [443], httpsClientAuth: [] });
  assert.match(await ask(world, 'GET /healthz'), /^HTTP\/1\.1 200 OK\r\n/);
  assert.equal(
    [...servers.values()].some(({ listening }) => listening),
    false,
  );
  await settle(gateway.stop());
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error'),
    [],
  );
  assert.equal(time.pendingEvents, 0);
});

test('what a gateway draws at random comes from the machine that it was given', async (t) => {
  const texts: string[] = [];
  for (const seed of ['one', 'one', 'two']) {
    const world = await startInWorld(t, seed);
    const password = readFileSync(path.join(world.directory, 'data', 'initial-admin-password'), 'utf8');
    const [, requestId] = /X-Request-Id: (\S+)/.exec(await ask(world, 'GET /healthz')) ?? [];
    await world.settle(world.gateway.stop());
    texts.push(`${password}${requestId}`);
  }
  assert.equal(texts[0], texts[1]);
  assert.notEqual(texts[0], texts[2]);
});
