import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, suite, test } from 'node:test';
import { connect } from 'node:tls';

import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { failureOf } from '../support/answer-of.ts';

const READ = '/services/assets/plant/_read';

suite('hostile requests', () => {
  let gateway: RunningGateway;
  let stop: () => Promise<void> = () => Promise.resolve();
  let call: (
    method: string,
    path: string,
    headers: Record<string, string | string[]>,
    body?: unknown,
  ) => Promise<ClientAnswer>;

  before(async () => {
    const cleanUps: (() => void | Promise<void>)[] = [];
    stop = async () => {
      for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    };
    gateway = await startGateway(
      { after: (cleanUp) => cleanUps.push(cleanUp) },
      {
        config: {
          provision: {
            rest: { statelessCertificateAuthenticationEnabled: true },
            identities: [{ name: 'scada', permissions: ['rest.assets'] }],
            drivers: [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port: 9 }],
            assets: [{ pid: 'plant', driver: 'line1', channels: [] }],
          },
        },
      },
    );
    const pair = await getClientCertificate('scada');
    const [port = 0] = gateway.clientAuthPorts;
    call = (method, path, headers, body) => send({ port, ...pair }, method, path, { headers, body });
  });
  after(() => stop());

  const json = { 'Content-Type': 'application/json' };
  const cases: readonly (readonly [
    name: string,
    status: number,
    ask: () => Promise<ClientAnswer>,
    named: RegExp,
  ])[] = [
    ['truncated JSON', 400, () => call('POST', READ, json, '{"channels":['), /JSON/],
    ['empty body', 400, () => call('POST', READ, json, ''), /JSON/],
    [
      '100,000 levels of nesting',
      400,
      () => call('POST', READ, json, '['.repeat(100_000)),
      /nests deeper than 32/,
    ],
    [
      '100,000 levels of objects',
      400,
      () => call('POST', READ, json, '{"a":'.repeat(100_000)),
      /nests deeper/,
    ],
    [
      'bytes that are not UTF-8',
      400,
      () => call('POST', READ, json, Buffer.from([0x22, 0xff, 0x22])),
      /UTF-8/,
    ],
    [
      'a __proto__ key instead of the field',
      400,
      () => call('POST', READ, json, '{"__proto__":{"channels":[]}}'),
      /channels/,
    ],
    [
      'a constructor key instead of the field',
      400,
      () => call('POST', READ, json, '{"constructor":{"channels":[]}}'),
      /channels/,
    ],
    [
      'a body one byte over the limit',
      413,
      () => call('POST', READ, json, 'x'.repeat(1_048_577)),
      /1048576 bytes/,
    ],
    [
      'a login body over its smaller limit',
      413,
      () => call('POST', '/services/session/v1/login/password', json, `{"username":"${'x'.repeat(9000)}"}`),
      /8192 bytes/,
    ],
    [
      'no content type',
      415,
      () => call('POST', READ, { 'Content-Type': '' }, '{"channels":[]}'),
      /application\/json/,
    ],
    [
      'a form',
      415,
      () => call('POST', READ, { 'Content-Type': 'text/plain' }, '{"channels":[]}'),
      /application\/json/,
    ],
    [
      'another charset',
      415,
      () => call('POST', READ, { 'Content-Type': 'application/json; charset=latin1' }, '{}'),
      /UTF-8/,
    ],
    [
      'a compressed body',
      415,
      () => call('POST', READ, { ...json, 'Content-Encoding': 'gzip' }, '{}'),
      /coding/,
    ],
    [
      'an answer type that is not there',
      406,
      () => call('GET', READ, { Accept: 'text/html' }),
      /application\/json/,
    ],
    ['another method', 405, () => call('DELETE', READ, {}), /DELETE/],
    ['an unknown method', 405, () => call('PATCH', READ, {}), /PATCH/],
    [
      'a broken percent-encoding',
      400,
      () => call('GET', '/services/assets/%zz/_read', {}),
      /percent-encoding/,
    ],
    ['a path that climbs', 404, () => call('GET', '/services/assets/../../../../etc/passwd', {}), /path/],
    ['a pid of the prototype', 404, () => call('GET', '/services/assets/__proto__', {}), /__proto__/],
    [
      'doubled Authorization',
      400,
      () => call('GET', READ, { Authorization: ['Basic YTpi', 'Basic Yjpj'] }),
      /authorization/,
    ],
    [
      '150 header fields',
      431,
      () => call('GET', READ, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-${i}`, '1']))),
      /100 header/,
    ],
  ];
  for (const [name, status, ask, named] of cases) {
    test(`${name} is answered with ${status} and a message that names it`, async () => {
      const answer = await ask();
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.headers['content-type'], 'application/json');
      assert.deepEqual(Object.keys(failureOf(answer)), ['message']);
      assert.match(failureOf(answer).message, named);
      assert.ok(!/\/work|node_modules|\.ts\b|at .*:\d+/.test(answer.text), answer.text);
    });
  }

  test('405 names the methods that the path has', async () => {
    assert.equal((await call('DELETE', READ, {})).headers.allow, 'GET, HEAD, POST, OPTIONS');
  });

  test('unknown header fields and query parameters change nothing', async () => {
    const answer = await call('GET', `${READ}?token=secret&x=1`, {
      'X-SSL-Client-CN': 'admin',
      'X-Forwarded-For': 'evil',
    });
    assert.deepEqual([answer.status, answer.json], [200, []]);
  });

  const raw: readonly (readonly [name: string, bytes: string | Buffer, status: RegExp])[] = [
    ['garbage', Buffer.from([0, 1, 2, 3, 255, 254, 10, 13, 10]), /^HTTP\/1\.1 400/],
    [
      'a request line without end of 20 KB',
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      /^HTTP\/1\.1 431/,
    ],
    [
      'header fields of 20 KB',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431/,
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      /^HTTP\/1\.1 400/,
    ],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400/],
    [
      'a broken chunk',
      'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      /^HTTP\/1\.1 40[04]/,
    ],
    [
      'another expectation',
      'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: a-miracle\r\n\r\n',
      /^HTTP\/1\.1 417/,
    ],
  ];
  for (const [name, bytes, status] of raw) {
    test(`${name} on the wire is refused with JSON, and the daemon goes on`, async () => {
      const socket = connect({
        port: gateway.httpsPorts[0] ?? 0,
        host: '127.0.0.1',
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('error', () => undefined);
      const closed = once(socket, 'close');
      socket.write(bytes);
      while (!text.includes('}') && !socket.destroyed) await Promise.race([once(socket, 'data'), closed]);
      socket.destroy();
      await closed;
      assert.match(text, status);
      assert.match(text, /\{"message":"[^"]+"\}/);
      assert.equal((await call('GET', READ, {})).status, 200);
    });
  }

  test('connections that end in the middle of a body leave nothing behind', async () => {
    for (let round = 0; round < 20; round += 1) {
      const socket = connect({
        port: gateway.httpsPorts[0] ?? 0,
        host: '127.0.0.1',
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      socket.write(
        'POST /services/session/v1/login/password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user',
      );
      socket.destroy();
      await once(socket, 'close');
    }
    assert.equal((await call('GET', READ, {})).status, 200);
    assert.deepEqual(
      gateway.lines.filter(({ level }) => level === 'error'),
      [],
    );
  });
});
