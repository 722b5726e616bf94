import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { test } from 'node:test';

import { refuseBrokenRequest } from '../../daemon/server/http/connection/listener-server.ts';
import { ConnectionEnded, RestConnection } from './http/rest-connection.ts';
import { SimulatedPorts } from './http/simulated-ports.ts';
import type { ConnectOptions } from './http/simulated-ports.ts';
import { SimulatedTime } from './world/simulated-time.ts';

const PORT = 80;

async function openWorld(onRequest: RequestListener): Promise<{
  readonly time: SimulatedTime;
  readonly ports: SimulatedPorts;
  readonly server: Server;
  readonly connect: (options?: Partial<ConnectOptions>) => RestConnection;
}> {
  const time = new SimulatedTime();
  const ports = new SimulatedPorts(time);
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, onRequest);
  server.on('clientError', refuseBrokenRequest);
  await ports.listen(server, { host: '::', port: PORT });
  const connect = (options: Partial<ConnectOptions> = {}): RestConnection =>
    new RestConnection(ports.connect({ to: PORT, address: '192.0.2.1', ...options }));
  return { time, ports, server, connect };
}

/** Runs the world until then, and returns how each promise has ended by then. */
async function settle<T>(time: SimulatedTime, endMs: number, ...promises: Promise<T>[]): Promise<unknown[]> {
  const results: unknown[] = promises.map(() => 'PENDING');
  for (const [index, promise] of promises.entries()) {
    promise.then(
      (value) => (results[index] = value),
      (error: unknown) => (results[index] = error),
    );
  }
  await time.runUntil(endMs);
  return results;
}

test('answers with a length and in chunks come over one connection, each after the latency of both ways', async () => {
  const { time, connect } = await openWorld((request, response) => {
    if (request.url === '/chunks') {
      response.write('one ');
      response.end('two');
    } else {
      response.setHeader('Content-Length', 4);
      response.end(request.socket.remoteAddress === '192.0.2.1' ? 'four' : 'five');
    }
  });
  const connection = connect({ toServerMs: 3, toClientMs: 4 });
  const first = connection.request({ method: 'GET', path: '/chunks' });
  assert.deepEqual(await settle(time, 6.9, first), ['PENDING']);
  const [answer] = await settle(time, 7, first);
  assert.equal((answer as { body: string }).body, 'one two');
  const second = connection.request({ method: 'POST', path: '/', body: 'x' });
  const [other] = await settle(time, 14, second);
  assert.equal((other as { body: string }).body, 'four');
});

test('a server that is closed takes no connections, and ends when its last answer is read', async () => {
  const { time, ports, server, connect } = await openWorld((_request, response) => {
    time.schedule(1000, () => response.end('late'));
  });
  const connection = connect();
  const answer = connection.request({ method: 'GET', path: '/' });
  await time.runUntil(1);
  let closedMs = -1;
  server.close(() => (closedMs = time.monotonicMs()));
  assert.equal(ports.isOpen(PORT), false);
  const refused = connect().request({ method: 'GET', path: '/' });
  const [whole, error] = await settle(time, 2000, answer, refused);
  assert.equal((whole as { body: string }).body, 'late');
  assert.equal((error as ConnectionEnded).reason, 'REFUSED');
  connection.close();
  await time.runUntil(2001);
  assert.equal(closedMs >= 1000, true);
  assert.equal(ports.connections, 0);
});

test('a client that does not read stalls what the server writes', async () => {
  let written = 0;
  const { time, connect } = await openWorld((_request, response) => {
    const part = Buffer.alloc(10_000, 'a');
    const writeOn = (): void => {
      while (written < 1_000_000) {
        written += part.length;
        if (!response.write(part)) {
          response.once('drain', writeOn);
          return;
        }
      }
      response.end();
    };
    writeOn();
  });
  const connection = connect();
  connection.pauseReading();
  const answer = connection.request({ method: 'GET', path: '/' });
  await settle(time, 1000, answer);
  assert.equal(written < 400_000, true);
  connection.resumeReading();
  const [whole] = await settle(time, 2000, answer);
  assert.equal((whole as { body: string }).body.length, 1_000_000);
});

test('a head that does not come and a body that does not end are refused by the simulated clock', async () => {
  const { time, connect } = await openWorld((request, response) => {
    request.resume();
    request.on('end', () => response.end('whole'));
  });
  const silent = connect().exchange(Buffer.from('GET / HTTP/1.1\r\n'), 'GET');
  const slow = connect().exchange(
    Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'),
    'POST',
  );
  assert.deepEqual(await settle(time, 9999, silent, slow), ['PENDING', 'PENDING']);
  const [head] = await settle(time, 10_001, silent);
  assert.equal((head as { status: number }).status, 408);
  assert.deepEqual(await settle(time, 29_999, slow), ['PENDING']);
  const [body] = await settle(time, 30_001, slow);
  assert.equal((body as { status: number }).status, 408);
});

test('a connection that asks nothing more is closed after the keep-alive time', async () => {
  const { time, ports, server, connect } = await openWorld((_request, response) => response.end('done'));
  server.keepAliveTimeout = 65_000;
  const connection = connect();
  await settle(time, 1, connection.request({ method: 'GET', path: '/' }));
  await time.runUntil(65_900);
  assert.equal(connection.isOpen, true);
  await time.runUntil(66_100);
  assert.equal(connection.isOpen, false);
  assert.equal(ports.connections, 0);
  assert.equal(time.pendingEvents, 0);
});

test('a reset in the middle ends the request on the other side', async () => {
  const heard: string[] = [];
  const { time, connect } = await openWorld((request, response) => {
    request.on('error', (error) => heard.push((error as { code?: string }).code ?? ''));
    response.on('close', () => heard.push('closed'));
  });
  const connection = connect({ toServerMs: 5 });
  const asked = connection.exchange(
    Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'),
    'POST',
  );
  time.schedule(10, () => connection.reset());
  const [error] = await settle(time, 20, asked);
  assert.equal((error as ConnectionEnded).reason, 'CLOSED');
  assert.deepEqual(heard.sort(), ['ECONNRESET', 'closed']);
});

test('the death of the process ends every connection, and its code hears nothing more', async () => {
  let heard = '';
  const { time, ports, connect } = await openWorld((request, response) => {
    request.on('close', () => (heard += 'closed'));
    response.write('begun');
  });
  const asked = connect({ toServerMs: 5, toClientMs: 5 }).request({ method: 'GET', path: '/' });
  time.schedule(12, () => ports.cut());
  const [error] = await settle(time, 100, asked);
  assert.equal(error instanceof ConnectionEnded && error.isBegun, true);
  assert.equal(heard, '');
  assert.equal(ports.connections, 0);
});

test('a stream of events comes event by event, and its server hears when the client leaves', async () => {
  let left = false;
  const { time, connect } = await openWorld((_request, response) => {
    response.setHeader('Content-Type', 'text/event-stream');
    response.write('retry: 2000\n\nid: 1\nevent: change\ndata: {"a":');
    time.schedule(5, () => response.write('1}\n\n:\n\nid: 2\ndata: x\n\n'));
    response.on('close', () => (left = true));
  });
  const events: unknown[] = [];
  const connection = connect({ toClientMs: 1 });
  const target = { onEvent: (event: unknown) => events.push(event), onEnd: () => events.push('END') };
  const [head] = await settle(time, 2, connection.openStream({ method: 'GET', path: '/' }, target));
  assert.equal((head as { status: number }).status, 200);
  assert.deepEqual(events, []);
  await time.runUntil(7);
  assert.deepEqual(events, [
    { id: '1', type: 'change', data: '{"a":1}' },
    { id: '2', data: 'x' },
  ]);
  connection.close();
  await time.runUntil(8);
  assert.equal(left, true);
  assert.equal(events.at(-1), 'END');
});

test('two framings, a length of 204 and bytes after the answer are no answers', async () => {
  const answers = [
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab',
    'HTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n',
  ];
  for (const bytes of answers) {
    const { time, connect } = await openWorld((request) => request.socket.end(bytes));
    const connection = connect();
    const [error] = await settle(time, 1, connection.request({ method: 'GET', path: '/' }));
    const isRefused = (error as Error).constructor.name === 'BrokenAnswer' || !connection.isOpen;
    assert.equal(isRefused, true, bytes);
  }
});
