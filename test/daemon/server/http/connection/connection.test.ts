import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { ByteBudget } from '../../../../../daemon/base/sharing/byte-budget.ts';
import { systemClock } from '../../../../../daemon/base/clock.ts';
import type { Application } from '../../../../../daemon/server/http/application.ts';
import { MAXIMUM_WAITING_REQUESTS } from '../../../../../daemon/server/http/connection/connection.ts';
import { ConnectionTable } from '../../../../../daemon/server/http/connection/connection-table.ts';
import { Listener } from '../../../../../daemon/server/http/connection/listener.ts';

interface Opened {
  readonly port: number;
  readonly budget: ByteBudget;
  /** Paths of the requests that have started, in order. */
  readonly begun: string[];
  /** Open answers of started requests, by path; the test ends them. */
  readonly open: Map<string, ServerResponse>;
  /** Resolves when a request with this path has started. */
  readonly until: (path: string) => Promise<void>;
}

// More than the buffers at both ends of a loopback connection reserve.
const LARGE = Buffer.alloc(16 * 2 ** 20, 0x61);

/** Opens a port that answers `/large…` with `LARGE`, leaves `/open…` open, and answers any other path with itself. */
async function openPort(
  t: TestContext,
  { maximumBytes = 2 ** 30, stallTimeoutMs = 30_000 } = {},
): Promise<Opened> {
  const begun: string[] = [];
  const open = new Map<string, ServerResponse>();
  const watchers = new Set<() => void>();
  const budget = new ByteBudget({ maximumBytes, clock: systemClock });
  const application: Application = ({ url = '' }, response, { connection }) => {
    begun.push(url);
    for (const look of watchers) look();
    if (url.startsWith('/large')) {
      connection.reserve('192.0.2.1').force(LARGE.length);
      response.end(LARGE);
    } else if (url.startsWith('/open')) {
      open.set(url, response);
    } else {
      response.end(url);
    }
  };
  const listener = new Listener({
    kind: 'http',
    host: '127.0.0.1',
    port: 0,
    application,
    connections: new ConnectionTable({ budget, isProxy: () => false }),
    drainMs: 0,
    stallTimeoutMs,
  });
  await listener.start();
  t.after(() => listener.stop());
  const until = (path: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!begun.includes(path)) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  return { port: listener.port, budget, begun, open, until };
}

function requestText(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

/** Sends text on a paused socket, which reads nothing until it is resumed. */
async function sendAhead(t: TestContext, port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(text);
  return socket;
}

async function readUntil(socket: Socket, end: string): Promise<string> {
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    if (text.includes(end)) break;
  }
  return text;
}

test('pipelined requests start one after the other and are answered in order', async (t) => {
  const { port, begun, open, until } = await openPort(t);
  const socket = await sendAhead(t, port, ['/open1', '/second', '/third'].map(requestText).join(''));
  await until('/open1');
  // The answer on another connection proves that the pipelined requests had time to start and did not.
  assert.match(await readUntil(await sendAhead(t, port, requestText('/other')), '/other'), /200/);
  assert.deepEqual(begun, ['/open1', '/other']);
  open.get('/open1')?.end('first');
  const text = await readUntil(socket, '/third');
  assert.deepEqual(
    [...text.matchAll(/first|\/second|\/third/g)].map(([word]) => word),
    ['first', '/second', '/third'],
  );
});

test('a pipelined request does not start before the client has received the previous answer', async (t) => {
  const { port, begun, until } = await openPort(t);
  const socket = await sendAhead(t, port, ['/large', '/second'].map(requestText).join(''));
  await until('/large');
  assert.match(await readUntil(await sendAhead(t, port, requestText('/other')), '/other'), /200/);
  assert.deepEqual(begun, ['/large', '/other']);
  socket.resume();
  await until('/second');
});

test('many pipelined requests with bodies all arrive', async (t) => {
  const { port, begun } = await openPort(t);
  const count = 3000;
  const paths = Array.from({ length: count }, (_, index) => `/${index}`);
  const socket = await sendAhead(t, port, '');
  const reading = readUntil(socket, `/${count - 1}`);
  // Sends batches, as a client does that does not wait for answers.
  for (let index = 0; index < count; index += 50) {
    const piece = paths.slice(index, index + 50).map((path, offset) => {
      const body = 'x'.repeat(offset * 10);
      return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    });
    if (!socket.write(piece.join(''))) await once(socket, 'drain');
  }
  await reading;
  assert.deepEqual(begun, paths);
});

test('a client that pipelines more requests than may wait is disconnected, and none of them starts', async (t) => {
  const { port, begun, budget } = await openPort(t);
  const ahead = Array.from({ length: MAXIMUM_WAITING_REQUESTS + 1 }, (_, index) => `/${index}`);
  const socket = await sendAhead(t, port, ['/open', ...ahead].map(requestText).join(''));
  await once(socket.resume(), 'close');
  assert.deepEqual(begun, ['/open']);
  assert.equal(budget.reservedBytes, 0);
});

test('a client that pipelines more than may wait still gets the answer to a request that changes something', async (t) => {
  const { port, begun, open, until, budget } = await openPort(t);
  const ahead = Array.from({ length: MAXIMUM_WAITING_REQUESTS + 50 }, (_, index) => requestText(`/${index}`));
  const change = 'POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';
  const socket = await sendAhead(t, port, [change, ...ahead].join(''));
  await until('/open');
  // The answer on another connection proves that the requests ahead had time to arrive.
  assert.match(await readUntil(await sendAhead(t, port, requestText('/other')), '/other'), /200/);
  socket.write(requestText('/late').repeat(20_000));
  assert.equal(budget.reservedBytes, 0);
  open.get('/open')?.end('it was done');
  // To the end of what comes: no further answer follows.
  assert.match(await readUntil(socket, 'never'), /it was done$/);
  assert.deepEqual(begun, ['/open', '/other']);
});

test('waiting requests count against the budget, and are discarded when their connection closes', async (t) => {
  const { port, budget, until, begun } = await openPort(t);
  const socket = await sendAhead(t, port, ['/open', '/second', '/third'].map(requestText).join(''));
  await until('/open');
  assert.ok(budget.reservedBytes > 0);
  socket.destroy();
  while (budget.reservedBytes > 0) await new Promise(setImmediate);
  assert.deepEqual(begun, ['/open']);
});

test('when clients reserve too many bytes, the connection of the greediest is closed and others are served', async (t) => {
  const { port, budget, until } = await openPort(t, { maximumBytes: 40 * 2 ** 20 });
  const greedy = await Promise.all(
    ['/large1', '/large2', '/large3'].map((path) => sendAhead(t, port, requestText(path))),
  );
  await Promise.all(['/large1', '/large2', '/large3'].map((path) => until(path)));
  assert.ok(budget.reservedBytes >= 2 * LARGE.length);
  const modest = budget.open({ party: 'modest', onEvict: () => assert.fail('the modest one gave way') });
  assert.equal(modest.resize(20 * 2 ** 20), true);
  const ends = await Promise.race(greedy.map((socket) => once(socket.resume(), 'close')));
  assert.ok(Array.isArray(ends));
  assert.match(await readUntil(await sendAhead(t, port, requestText('/other')), '/other'), /200/);
});

test('a client that reads nothing of its answer is disconnected, one with a slow operation is not', async (t) => {
  const { port, budget, open, until } = await openPort(t, { stallTimeoutMs: 100 });
  const slow = await sendAhead(t, port, requestText('/open'));
  await until('/open');
  await sendAhead(t, port, requestText('/large'));
  await until('/large');
  assert.equal(budget.reservedBytes, LARGE.length);
  while (budget.reservedBytes > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  // The slow operation has run longer than the time-out as well, and its connection is still open.
  open.get('/open')?.end('done');
  assert.match(await readUntil(slow, 'done'), /200/);
});
