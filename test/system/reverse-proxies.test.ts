import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { buildConsole } from '../../packaging/build-console.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { PROXY_PREFIX, startReverseProxy } from '../support/reverse-proxy.ts';
import { needs } from '../support/tests-that-need.ts';

const PASSWORD = 'behind-a-proxy-word';
const LOGIN = '/services/session/v1/login/password';
const ADDRESS = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 7, dataType: 'INT16' };

async function startBehind(
  t: TestContext,
  trustedProxies: readonly string[],
  port = 1,
): Promise<RunningGateway> {
  return startGateway(t, {
    config: {
      http: { ports: [0], httpsPorts: [], trustedProxies },
      provision: {
        rest: { basicAuthenticationEnabled: true },
        identities: [
          { name: 'chief', permissions: ['rest.admin'], password: PASSWORD, passwordChangeNeeded: false },
        ],
        drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port }],
        assets: [
          {
            pid: 'pump',
            driver: 'line',
            channels: [{ name: 'level', type: 'READ', valueType: 'INTEGER', address: ADDRESS }],
          },
        ],
      },
    },
  });
}

const Authorization = `Basic ${Buffer.from(`chief:${PASSWORD}`).toString('base64')}`;
const credentials = { username: 'chief', password: PASSWORD };
const SCAN = { type: 'modbus', settings: { host: '127.0.0.1', port: 1 } };

for (const kind of ['nginx', 'haproxy'] as const) {
  test(
    `behind ${kind}, REST, streams and console work below a path, and cookies are for HTTPS`,
    needs('libmodbus', kind),
    async (t) => {
      await buildConsole({ isForced: false });
      const device = await startLibmodbusServer();
      t.after(() => device.close());
      const gateway = await startBehind(t, ['127.0.0.1'], device.port);
      const { port } = await startReverseProxy(t, kind, gateway.httpPorts[0] ?? 0);
      const ask = (method: string, place: string, body?: unknown, headers = {}): ReturnType<typeof send> =>
        send({ port }, method, `${PROXY_PREFIX}${place}`, {
          headers,
          ...(body === undefined ? {} : { body }),
        });

      const page = await ask('GET', '/');
      assert.equal(page.status, 200);
      const [, script = ''] = /src="\.(\/assets\/[^"]+)"/.exec(page.text) ?? [];
      assert.equal((await ask('GET', script)).status, 200, 'the files of the console');

      const origin = { Origin: `https://127.0.0.1:${port}`, 'Sec-Fetch-Site': 'same-origin' };
      const login = await ask('POST', LOGIN, credentials, origin);
      assert.equal(login.status, 200, login.text);
      assert.match(String(login.headers['set-cookie']), /; Secure/);
      assert.equal((await ask('POST', LOGIN, credentials, { Origin: 'https://evil.example' })).status, 403);

      const scan = await ask('POST', '/services/drivers/v1/_scans', SCAN, { Authorization });
      assert.equal(scan.status, 201, scan.text);
      const { location = '' } = scan.headers;
      assert.ok(location.startsWith(`${PROXY_PREFIX}/services/drivers/v1/_scans/`), location);
      assert.equal((await send({ port }, 'GET', location, { headers: { Authorization } })).status, 200);

      const listen = `${PROXY_PREFIX}/services/assets/pump/_listen`;
      const stream = new EventStreamClient(t, { port, path: listen, headers: { Authorization } });
      const { data } = await stream.find(({ type }) => type === 'snapshot');
      assert.equal((data as readonly { readonly value: number }[])[0]?.value, 7);
    },
  );
}

test('fields of a peer that is no trusted proxy change nothing', async (t) => {
  const gateway = await startBehind(t, ['192.0.2.1']);
  const [port = 0] = gateway.httpPorts;
  const headers = {
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Prefix': '/plant',
    Forwarded: 'proto=https;host=evil.example',
  };
  const ask = (place: string, body: unknown, more = {}): ReturnType<typeof send> =>
    send({ port, plain: true }, 'POST', place, { headers: { ...headers, ...more }, body });
  assert.doesNotMatch(String((await ask(LOGIN, credentials)).headers['set-cookie']), /Secure/);
  const scan = await ask('/services/drivers/v1/_scans', SCAN, { Authorization });
  assert.match(String(scan.headers.location), /^\/services\//);
  assert.equal((await ask(LOGIN, credentials, { Origin: 'https://evil.example' })).status, 403);
});

test('a request line without a version, or with another one than HTTP/1, is refused with 505', async (t) => {
  const gateway = await startBehind(t, []);
  for (const line of [
    'GET /healthz',
    'GET /services/assets',
    'GET /healthz HTTP/0.9',
    'GET /healthz HTTP/2.0',
  ]) {
    const socket = connect(gateway.httpPorts[0] ?? 0, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(`${line}\r\n\r\n`);
    await once(socket, 'close');
    assert.match(text, /^HTTP\/1\.1 505 .*\{"message":"[^"]+"\}$/s, line);
  }
});
