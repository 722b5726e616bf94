import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { test } from 'node:test';

import { systemClock } from '../../../../daemon/base/clock.ts';
import { probePort } from '../../../../daemon/machine/service/port-probe.ts';
import { Watchdog } from '../../../../daemon/machine/service/watchdog.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';

const PATIENT_MS = 30_000;

async function listen(t: { after(end: () => void): void }, onConnection: (socket: Socket) => void) {
  const server: Server = createServer(onConnection);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

test('a port that answers, or only closes the connection, counts as served', async (t) => {
  const answering = await listen(t, (socket) => socket.write('HTTP/1.1 404 Not Found\r\n\r\n'));
  const closing = await listen(t, (socket) => socket.destroy());
  for (const { port } of [answering, closing]) {
    for (const isTls of [false, true]) {
      assert.equal(await probePort({ host: '127.0.0.1', port, isTls }, systemClock, PATIENT_MS), true);
    }
  }
});

test('a port without a listener does not count as served', async (t) => {
  const { server, port } = await listen(t, () => undefined);
  server.close();
  await once(server, 'close');
  assert.equal(await probePort({ host: '127.0.0.1', port, isTls: false }, systemClock, PATIENT_MS), false);
});

test('no message is sent while a port accepts and does not answer, and messages resume when it does', async (t) => {
  const silent = Promise.withResolvers<Socket>();
  let isStuck = true;
  const { port } = await listen(t, (socket) => {
    if (isStuck) silent.resolve(socket);
    else socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
  });
  const clock = new ManualClock();
  const { promise: complained, resolve: complain } = Promise.withResolvers<string>();
  const { promise: beaten, resolve: beat } = Promise.withResolvers<void>();
  let beats = 0;
  const watchdog = new Watchdog({
    manager: {
      watchdogMs: 20_000,
      beat() {
        beats += 1;
        beat();
      },
    },
    ports: () => [{ host: '127.0.0.1', port, isTls: false }],
    clock,
    logger: { ...createMemoryLogger(), error: complain },
  });
  t.after(() => watchdog.stop());
  await watchdog.start();
  await once(await silent.promise, 'data');
  clock.advance(10_000);
  assert.equal(await complained, 'watchdog.portNotServed');
  assert.equal(beats, 0);
  isStuck = false;
  clock.advance(0);
  await beaten;
  assert.equal(beats, 1);
});

test('a port that takes nearly half of the interval to answer does not stop the messages', async (t) => {
  const { promise: connected, resolve: connect } = Promise.withResolvers<Socket>();
  const { port } = await listen(t, connect);
  const clock = new ManualClock();
  const { promise: beaten, resolve: beat } = Promise.withResolvers<void>();
  const watchdog = new Watchdog({
    manager: { watchdogMs: 20_000, beat },
    ports: () => [{ host: '127.0.0.1', port, isTls: false }],
    clock,
    logger: { ...createMemoryLogger(), error: () => assert.fail('it was given up') },
  });
  t.after(() => watchdog.stop());
  await watchdog.start();
  const socket = await connected;
  clock.advance(9999);
  socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
  await beaten;
});

test('nothing is sent where no watchdog is configured', async () => {
  const clock = new ManualClock();
  const watchdog = new Watchdog({
    manager: { watchdogMs: undefined, beat: () => assert.fail('a beat') },
    ports: () => assert.fail('a probe'),
    clock,
    logger: createMemoryLogger(),
  });
  await watchdog.start();
  clock.advance(1_000_000);
  await watchdog.stop();
});
