import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import type { Server } from 'node:http';
import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';

import { listenOnMachine } from '../../../../../daemon/base/network/listen.ts';
import { z } from '../../../../../daemon/base/schema.ts';
import type { KeyPair } from '../../../../../daemon/security/certificate/certificate-issuer.ts';
import {
  listLocalNames,
  makeSelfSignedServerCertificate,
} from '../../../../../daemon/security/certificate/certificate-issuer.ts';
import type { Application } from '../../../../../daemon/server/http/application.ts';
import { Listener, ListenerError } from '../../../../../daemon/server/http/connection/listener.ts';
import type { ListenerOptions, ListenerTls } from '../../../../../daemon/server/http/connection/listener.ts';
import { createConnectionTable } from '../../../../support/connection-table.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../../../../support/certificate-authority.ts';
import { send } from '../../../../support/https-client.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createRoute, createTestApplication, sendRaw } from '../application-fixture.ts';

const echoRoute = createRoute({
  method: 'POST',
  path: '/echo',
  request: { contentType: 'application/json', schema: z.unknown(), maximumBytes: 64 },
});

const showPort: Application = (_request, response, { port, isTls }) =>
  response.end(JSON.stringify({ port, isTls }));

const hasCode = (code: string) => (error: unknown) => error instanceof ListenerError && error.code === code;

async function open(t: TestContext, options: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = new Listener({
    kind: 'http',
    host: '127.0.0.1',
    port: 0,
    application: showPort,
    connections: createConnectionTable(),
    drainMs: 60_000,
    ...options,
  });
  await listener.start();
  t.after(() => listener.stop());
  return listener;
}

async function createTls(pair?: KeyPair): Promise<ListenerTls> {
  const { certificate, privateKey } = pair ?? (await getServerCertificate());
  const authority = await getCertificateAuthority();
  return {
    certificate,
    privateKey,
    clientCertificateAuthorities: [authority.certificate],
    certificateRevocationLists: [],
  };
}

/** Performs a TLS handshake; returns the negotiated version and cipher, or the code of the refusal. */
async function shakeHands(port: number, options: ConnectionOptions = {}): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol() ?? ''} ${socket.getCipher().name}`;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  } finally {
    socket.destroy();
  }
}

async function fingerprintOf(port: number): Promise<string> {
  const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('start opens a free port for 0 and tells the application on which port a request arrived', async (t) => {
  const listener = await open(t);
  assert.ok(listener.port > 0);
  const { json } = await send({ port: listener.port, plain: true }, 'GET', '/');
  assert.deepEqual(json, { port: listener.port, isTls: false });
});

test('port is the configured one before start', () => {
  const options = {
    kind: 'http',
    host: '::1',
    port: 4711,
    application: showPort,
    connections: createConnectionTable(),
    drainMs: 1,
  } as const;
  assert.equal(new Listener(options).port, 4711);
});

test('stop before start, and again after stop, does nothing', async (t) => {
  const idle = new Listener({
    kind: 'http',
    host: '::1',
    port: 0,
    application: showPort,
    connections: createConnectionTable(),
    drainMs: 1,
  });
  await idle.stop();
  const listener = await open(t);
  await Promise.all([listener.stop(), listener.stop()]);
  await listener.stop();
  await assert.rejects(send({ port: listener.port, plain: true }, 'GET', '/'), { code: 'ECONNREFUSED' });
});

test('start fails with PORT_IN_USE, and the listener can then be stopped', async (t) => {
  const { port } = await open(t);
  const second = new Listener({
    kind: 'http',
    host: '127.0.0.1',
    port,
    application: showPort,
    connections: createConnectionTable(),
    drainMs: 1,
  });
  await assert.rejects(second.start(), hasCode('PORT_IN_USE'));
  await second.stop();
  assert.equal((await send({ port, plain: true }, 'GET', '/')).status, 200);
});

test('start fails with PORT_UNAVAILABLE for an address that the machine does not have', async () => {
  const options = {
    kind: 'http',
    host: '192.0.2.7',
    port: 0,
    application: showPort,
    connections: createConnectionTable(),
    drainMs: 1,
  } as const;
  await assert.rejects(new Listener(options).start(), hasCode('PORT_UNAVAILABLE'));
});

test('stop waits until a running request finishes and then closes its connection', async (t) => {
  const { promise: arrival, resolve: arrive } = Promise.withResolvers<() => void>();
  const application: Application = (_request, response) => arrive(() => response.end('done'));
  const listener = await open(t, { application });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const outgoing = httpRequest({ port: listener.port, host: '127.0.0.1', agent });
  outgoing.end();
  const finish = await arrival;
  const stopped = listener.stop();
  await assert.rejects(send({ port: listener.port, plain: true }, 'GET', '/'), { code: 'ECONNREFUSED' });
  finish();
  const [answer] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }];
  assert.equal(answer.statusCode, 200);
  answer.resume();
  await stopped;
});

test('a second call of stop resolves no earlier than the first', async (t) => {
  const { promise: arrival, resolve: arrive } = Promise.withResolvers<() => void>();
  const listener = await open(t, { application: (_request, response) => arrive(() => response.end()) });
  const answer = send({ port: listener.port, plain: true }, 'GET', '/');
  const finish = await arrival;
  let isStopped = false;
  const first = listener.stop().then(() => (isStopped = true));
  const second = listener.stop();
  finish();
  await second;
  assert.equal(isStopped, true);
  await Promise.all([first, answer]);
});

test('stop closes idle connections at once', async (t) => {
  const listener = await open(t);
  const socket = connectTcp(listener.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  const closed = once(socket, 'close');
  await listener.stop();
  await closed;
});

test('stop closes connections that have long sent no request, before and after a handshake', async (t) => {
  const clock = new ManualClock();
  const listener = await open(t, { kind: 'https', tls: await createTls(), clock });
  const silent = connectTcp(listener.port, '127.0.0.1');
  await once(silent, 'connect');
  const shaken = connectTls({ port: listener.port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(shaken, 'secureConnect');
  shaken.on('error', () => undefined);
  silent.on('error', () => undefined);
  const closed = [silent, shaken].map((socket) => new Promise((resolve) => socket.on('close', resolve)));
  clock.advance(2000);
  await listener.stop();
  await Promise.all(closed);
});

test('stop answers a client that has just connected, before and after its handshake', async (t) => {
  const clock = new ManualClock();
  const listener = await open(t, { kind: 'https', tls: await createTls(), clock });
  const options = { host: '127.0.0.1', rejectUnauthorized: false };
  const begun = connectTcp(listener.port, '127.0.0.1');
  await once(begun, 'connect');
  const shaken = connectTls({ ...options, port: listener.port });
  await once(shaken, 'secureConnect');
  const stopped = listener.stop();
  const finished = connectTls({ ...options, socket: begun });
  await once(finished, 'secureConnect');
  for (const socket of [shaken, finished]) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
  }
  await stopped;
});

test('stop closes a connection that has just been opened when its time for a request is over', async (t) => {
  const clock = new ManualClock();
  const listener = await open(t, { clock });
  const socket = connectTcp(listener.port, '127.0.0.1');
  await once(socket, 'connect');
  // Accepted after the connection before it.
  const other = connectTcp(listener.port, '127.0.0.1');
  other.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(other, 'data');
  const stopped = listener.stop();
  clock.advance(1999);
  assert.equal(socket.readyState, 'open');
  clock.advance(1);
  await Promise.all([stopped, once(socket, 'close')]);
});

test('stop leaves a request that has begun to arrive the time to finish', async (t) => {
  const listener = await open(t);
  const socket = connectTcp(listener.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n');
  await once(socket, 'data');
  const other = connectTcp(listener.port, '127.0.0.1');
  t.after(() => void other.destroy());
  other.write('GET / HTTP/1.1\r\n');
  // Answered only after the bytes of the connection before it were taken.
  await send({ port: listener.port, plain: true }, 'GET', '/');
  const stopped = listener.stop();
  other.write('Host: a\r\n\r\n');
  const [answer] = (await once(other, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
  socket.destroy();
  other.destroy();
  await stopped;
});

test('stop aborts a request that runs longer than the drain time', async (t) => {
  const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>();
  const listener = await open(t, { application: () => arrive(), drainMs: 1 });
  const outgoing = httpRequest({ port: listener.port, host: '127.0.0.1', agent: false });
  const failed = once(outgoing, 'response').catch((error: unknown) => error);
  outgoing.end();
  await arrival;
  await listener.stop();
  assert.equal(((await failed) as { code?: string }).code, 'ECONNRESET');
});

test('malformed HTTP is answered with 400 and a report, and the connection closes', async (t) => {
  const { port } = await open(t);
  const garbage = [
    '\u0000\u0001\u0002\r\n\r\n',
    'HELO gateway\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /\u0000 HTTP/1.1\r\n\r\n',
  ];
  const smuggled = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const text of [...garbage, smuggled, 'GET / HTTP/1.1\r\nHost : a\r\n\r\n']) {
    const received = await sendRaw(port, text);
    assert.match(received, /^HTTP\/1\.1 400 Bad Request\r\n/, JSON.stringify(text));
    assert.match(received, /\r\nContent-Type: application\/json\r\n/);
    assert.match(received, /\r\n\r\n\{"message":"[^"]+"\}$/);
  }
});

test('malformed HTTP never inserts a refusal into an answer that has started', async (t) => {
  const application: Application = (_request, response) => response.write('{"begun":');
  const { port } = await open(t, { application });
  const socket = connectTcp(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
    socket.write('\u0000\r\n\r\n');
  });
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'close');
  assert.match(received, /^HTTP\/1\.1 200 /);
  assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1);
});

test('a body in broken chunks is answered with 400 and a report', async (t) => {
  const { application } = createTestApplication([echoRoute]);
  const { port } = await open(t, { application });
  const fields = 'Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked';
  const received = await sendRaw(port, `POST /echo HTTP/1.1\r\n${fields}\r\n\r\nzz\r\n{}\r\n`);
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400']);
});

test('header fields that are too large are answered with 431 and a report', async (t) => {
  const { port } = await open(t);
  const received = await sendRaw(port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`);
  assert.match(received, /^HTTP\/1\.1 431 /);
  assert.match(received, /\r\n\r\n\{"message":"[^"]+"\}$/);
});

test('an expectation other than 100-continue is answered with 417 and a report', async (t) => {
  const { port } = await open(t);
  const received = await sendRaw(
    port,
    'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n',
  );
  assert.match(received, /^HTTP\/1\.1 417 /);
  assert.match(received, /\r\n\r\n\{"message":"[^"]+"\}$/);
});

test('TLS 1.2 and 1.3 are accepted with authenticated ciphers and forward secrecy', async (t) => {
  const { port } = await open(t, { kind: 'https', tls: await createTls() });
  assert.match(await shakeHands(port), /^TLSv1\.3 TLS_/);
  assert.match(
    await shakeHands(port, { maxVersion: 'TLSv1.2' }),
    /^TLSv1\.2 ECDHE-(ECDSA|RSA)-(AES\d+-GCM|CHACHA20)/,
  );
});

test('of the ciphers of a client the cheapest is taken, whatever it prefers', async (t) => {
  const { port } = await open(t, { kind: 'https', tls: await createTls() });
  const strong = 'TLS_AES_256_GCM_SHA384';
  const ciphers = `${strong}:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256`;
  assert.equal(await shakeHands(port, { ciphers }), 'TLSv1.3 TLS_AES_128_GCM_SHA256');
  assert.equal(await shakeHands(port, { ciphers: strong }), `TLSv1.3 ${strong}`);
});

const LEGACY_CIPHERS = [
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-RSA-AES256-SHA384',
  'AES128-GCM-SHA256',
  'AES128-SHA',
  'DHE-RSA-AES128-GCM-SHA256',
];

async function assertProtocolFloor(port: number): Promise<void> {
  const old = { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
  for (const maxVersion of ['TLSv1', 'TLSv1.1'] as const) {
    assert.match(await shakeHands(port, { ...old, maxVersion }), /^ERR_SSL_.*ALERT/, maxVersion);
  }
  for (const cipher of LEGACY_CIPHERS) {
    const outcome = await shakeHands(port, { maxVersion: 'TLSv1.2', ciphers: `${cipher}:@SECLEVEL=0` });
    assert.match(outcome, /^ERR_SSL_.*ALERT/, cipher);
  }
}

test('older versions of TLS, and ciphers without authentication or forward secrecy, are refused', async (t) => {
  const { port } = await open(t, { kind: 'https', tls: await createTls() });
  await assertProtocolFloor(port);
});

test('replaceTls keeps the protocol floor', async (t) => {
  const listener = await open(t, { kind: 'https', tls: await createTls() });
  listener.replaceTls(await createTls(await makeSelfSignedServerCertificate(listLocalNames())));
  await assertProtocolFloor(listener.port);
});

test('replaceTls uses the new certificate for new handshakes, and open connections stay open', async (t) => {
  const listener = await open(t, { kind: 'https', tls: await createTls() });
  const { port } = listener;
  const before = await fingerprintOf(port);
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  listener.replaceTls(await createTls(await makeSelfSignedServerCertificate(listLocalNames())));
  assert.notEqual(await fingerprintOf(port), before);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.match(chunk.toString(), /^HTTP\/1\.1 200 /);
  socket.destroy();
});

test('replaceTls refuses a key that does not match the certificate, and keeps the previous pair', async (t) => {
  const tls = await createTls();
  const listener = await open(t, { kind: 'https', tls });
  const before = await fingerprintOf(listener.port);
  const { privateKey } = await makeSelfSignedServerCertificate(listLocalNames());
  assert.throws(() => listener.replaceTls({ ...tls, privateKey }));
  assert.throws(() => listener.replaceTls({ ...tls, certificate: 'no certificate' }));
  assert.equal(await fingerprintOf(listener.port), before);
});

test('a listener with client authentication serves only clients whose certificate an authority signed', async (t) => {
  const { application } = createTestApplication([
    createRoute({
      handle: ({ certificate }) => ({ status: 200, json: JSON.stringify(certificate?.commonNames) }),
    }),
  ]);
  const { port } = await open(t, { kind: 'https-client-auth', tls: await createTls(), application });
  const pump = await getClientCertificate('pump');
  assert.deepEqual((await send({ port, ...pump }, 'GET', '/thing')).json, ['pump']);
  await assert.rejects(send({ port }, 'GET', '/thing'));
  const stranger = await makeSelfSignedServerCertificate(listLocalNames());
  await assert.rejects(send({ port, ...stranger }, 'GET', '/thing'));
});

test('a listener without client authentication ignores client certificates', async (t) => {
  const { application } = createTestApplication([
    createRoute({
      handle: ({ certificate }) => ({ status: 200, json: JSON.stringify([certificate ?? null]) }),
    }),
  ]);
  const { port } = await open(t, { kind: 'https', tls: await createTls(), application });
  const pump = await getClientCertificate('pump');
  assert.deepEqual((await send({ port, ...pump }, 'GET', '/thing')).json, [null]);
});

test('plain HTTP on a TLS port is not answered', async (t) => {
  const { port } = await open(t, { kind: 'https', tls: await createTls() });
  assert.doesNotMatch(await sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), /HTTP/);
});

test('a body whose receiver bounds its time is not cut off by the limit for whole requests, any other is 408', async (t) => {
  const { promise: arriving, resolve: onArriving } = Promise.withResolvers<undefined>();
  const streamed = createRoute({
    method: 'POST',
    path: '/upload',
    request: {
      contentType: 'application/json',
      schema: z.unknown(),
      receive: async ({ request, boundOwnTime }) => {
        boundOwnTime();
        onArriving(undefined);
        for await (const chunk of request) assert.ok(chunk);
      },
      discard: async () => undefined,
      digestOf: () => '',
    },
  });
  const sockets: Socket[] = [];
  let server: Server | undefined;
  const { port } = await open(t, {
    application: createTestApplication([echoRoute, streamed]).application,
    listen(opened, position) {
      server = opened;
      opened.on('connection', (socket: Socket) => sockets.push(socket));
      return listenOnMachine(opened, position);
    },
  });
  const begin = (path: string): Socket => {
    const socket = connectTcp(port, '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n1`,
    );
    return socket;
  };
  // What the server does when a request has taken too long.
  const expire = (socket: Socket | undefined): void => {
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server?.emit('clientError', error, socket);
  };
  const upload = begin('/upload');
  await arriving;
  expire(sockets[0]);
  upload.write('2');
  assert.match(String(await once(upload, 'data')), /^HTTP\/1\.1 200 /);
  upload.destroy();

  const whole = begin('/echo');
  while (sockets[1] === undefined || sockets[1].bytesRead === 0) await nextImmediate();
  expire(sockets[1]);
  assert.match(String(await once(whole, 'data')), /^HTTP\/1\.1 408 /);
});
