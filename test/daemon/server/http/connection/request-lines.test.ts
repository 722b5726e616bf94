import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';

import { z } from '../../../../../daemon/base/schema.ts';
import { Listener } from '../../../../../daemon/server/http/connection/listener.ts';
import { createConnectionTable } from '../../../../support/connection-table.ts';
import { getServerCertificate } from '../../../../support/certificate-authority.ts';
import { createRoute, createTestApplication, openApplication } from '../application-fixture.ts';

const ROUTES = [
  createRoute(),
  createRoute({
    method: 'POST',
    request: { contentType: 'application/json', schema: z.unknown(), maximumBytes: 200_000 },
  }),
];
const HOST = 'Host: localhost\r\n\r\n';
const GOOD = `GET /thing HTTP/1.1\r\n${HOST}`;
const LAST = 'GET /thing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

const statusesOf = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);

/** Sends parts, each after the gateway has read the one before, and returns the statuses of all answers. */
async function sendParts(port: number, parts: readonly string[]): Promise<readonly string[]> {
  const socket = connectTcp(port, '127.0.0.1');
  socket.setNoDelay(true);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  for (const part of parts) {
    if (socket.writable) await new Promise((resolve) => socket.write(part, 'latin1', resolve));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return statusesOf(text);
}

test('a request line with several spaces is answered with 400, and the connection closed', async (t) => {
  const { sendRaw } = await openApplication(t, ROUTES);
  for (const line of ['GET  /thing HTTP/1.1', 'GET /thing  HTTP/1.1', 'GET   /thing   HTTP/1.0']) {
    const text = await sendRaw(`${line}\r\n${HOST}`);
    assert.match(text, /^HTTP\/1\.1 400 .*"message":"expected method, target and version/s, line);
  }
  for (const line of ['GET\t/thing HTTP/1.1', 'GET /thing\tHTTP/1.1', ' GET /thing HTTP/1.1']) {
    assert.deepEqual(statusesOf(await sendRaw(`${line}\r\n${HOST}`)), ['400'], line);
  }
});

test('one empty line before a request is ignored, more are answered with 400', async (t) => {
  const { sendRaw } = await openApplication(t, ROUTES);
  assert.deepEqual(statusesOf(await sendRaw(`\r\n${LAST}`)), ['200']);
  assert.deepEqual(statusesOf(await sendRaw(`\r\n\r\n${LAST}`)), ['400']);
  assert.deepEqual(statusesOf(await sendRaw(`${GOOD}\r\n${LAST}`)), ['200', '200']);
  assert.deepEqual(statusesOf(await sendRaw(`${GOOD}\r\n\r\n${LAST}`)), ['200', '400']);
});

test('a later request of a connection is looked at as the first one is', async (t) => {
  const { port, sendRaw } = await openApplication(t, ROUTES);
  const bad = `GET  /thing HTTP/1.1\r\n${HOST}`;
  assert.deepEqual(statusesOf(await sendRaw(`${GOOD}${bad}`)), ['200', '400']);
  assert.deepEqual(await sendParts(port, [GOOD, GOOD, bad]), ['200', '200', '400']);
  const body = `POST /thing HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 4\r\n${HOST}null`;
  assert.deepEqual(statusesOf(await sendRaw(`${body}${bad}`)), ['200', '400']);
  assert.deepEqual(statusesOf(await sendRaw(`${body}${body}${LAST}`)), ['200', '200', '200']);
});

test('a head in several parts is looked at as a whole, wherever it is cut', async (t) => {
  const { port } = await openApplication(t, ROUTES);
  for (const parts of [
    Array.from(LAST),
    ['G', LAST.slice(1)],
    ['GET /thing ', LAST.slice(11)],
    [LAST.slice(0, -1), '\n'],
    [LAST.slice(0, -2), '\r\n'],
    [GOOD.slice(0, -2), `\r\nGET /th`, LAST.slice(7)],
  ]) {
    const statuses = await sendParts(port, parts);
    assert.equal(statuses.at(-1), '200', JSON.stringify(parts));
  }
  assert.deepEqual(await sendParts(port, ['GET ', ` /thing HTTP/1.1\r\n${HOST}`]), ['400']);
  assert.deepEqual(await sendParts(port, Array.from(`GET /thing  HTTP/1.1\r\n${HOST}`)), ['400']);
});

test('a large body before a request, and a long head, change nothing', async (t) => {
  const { sendRaw } = await openApplication(t, ROUTES);
  const json = JSON.stringify('x'.repeat(150_000));
  const body = `POST /thing HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n${HOST}${json}`;
  assert.deepEqual(statusesOf(await sendRaw(`${body}${body}${LAST}`)), ['200', '200', '200']);
  const long = LAST.replace('\r\n\r\n', `\r\nX-Long: ${'y'.repeat(15_000)}\r\n\r\n`);
  assert.deepEqual(statusesOf(await sendRaw(`${GOOD}${long}`)), ['200', '200']);
  const chunked = `POST /thing HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${HOST}4\r\nnull\r\n0\r\n\r\n`;
  assert.deepEqual(statusesOf(await sendRaw(`${chunked}${LAST}`)), ['200', '200']);
});

async function startTls(t: TestContext): Promise<number> {
  const { certificate, privateKey } = await getServerCertificate();
  const listener = new Listener({
    kind: 'https',
    host: '127.0.0.1',
    port: 0,
    application: createTestApplication(ROUTES).application,
    connections: createConnectionTable(),
    tls: { certificate, privateKey, clientCertificateAuthorities: [], certificateRevocationLists: [] },
    drainMs: 100,
  });
  await listener.start();
  t.after(() => listener.stop());
  return listener.port;
}

test('over TLS as well', async (t) => {
  const port = await startTls(t);
  for (const [request, statuses] of [
    [`${GOOD}${LAST}`, ['200', '200']],
    [`${GOOD}GET /thing  HTTP/1.1\r\n${HOST}`, ['200', '400']],
  ] as const) {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(request);
    await once(socket, 'close');
    assert.deepEqual(statusesOf(text), statuses);
  }
});
