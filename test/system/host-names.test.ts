import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, renameSync } from 'node:fs';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { CertificateFiles } from '../support/certificate-files.ts';
import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';

/** Sends a head over plain HTTP and returns the status and the rest. */
async function exchange(
  port: number,
  head: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.write(`${head}\r\n\r\n`);
  await once(socket, 'close');
  return { status: Number(text.split(' ')[1] ?? 0), text };
}

const get = (port: number, host: string, target = '/healthz'): ReturnType<typeof exchange> =>
  exchange(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close`);

const portOf = ({ httpPorts: [port = 0] }: RunningGateway): number => port;

/** Puts a certificate in place as an administrator does, the key first. */
function putCertificate(gateway: RunningGateway, name: string): void {
  const folder = path.join(gateway.directory, 'tls');
  mkdirSync(folder, { recursive: true });
  new CertificateFiles(folder).makeSelfSigned('new', { subject: name, extensions: [] });
  renameSync(path.join(folder, 'new.key'), path.join(folder, 'server.key'));
  renameSync(path.join(folder, 'new.crt'), path.join(folder, 'server.crt'));
}

test('a request for a host that the gateway is not is refused, before anything else', async (t) => {
  const metrics = await findFreePort();
  const http = { ports: [0], httpsPorts: [], names: ['plant.example', '*.site.example'] };
  const config = { http, metrics: { port: metrics }, provision: { rest: { allowedPorts: [9] } } };
  const gateway = await startGateway(t, { config });
  const port = portOf(gateway);

  const known = [
    `127.0.0.1:${port}`,
    '[::1]:8443',
    '[FE80::1]',
    '192.0.2.7',
    'localhost',
    'LOCALHOST.:80',
    hostname(),
    `${hostname()}.local`,
    'Plant.Example',
    'plant.example.:4443',
    'a.site.example',
  ];
  // Nothing is answered on this port but 404, and that only to those that call the gateway by its name.
  for (const host of known) assert.equal((await get(port, host)).status, 404, host);
  const foreign = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'a.b.site.example',
    'site.example',
    '[::1].evil.example',
    'evil.example:127.0.0.1',
    'evil@localhost',
    '[localhost]',
    '2130706433',
    '',
  ];
  for (const host of foreign) {
    for (const target of ['/healthz', '/', '/nothing', '/services/assets']) {
      const { status, text } = await get(port, host, target);
      assert.equal(status, 421, `${host} ${target}`);
      assert.match(text, /\{"message":"[^}]*http\.names[^}]*"\}$/);
    }
    assert.equal((await get(metrics, host, '/metrics')).status, 421, `${host} for the metrics`);
  }
  assert.equal((await get(metrics, `localhost:${metrics}`, '/metrics')).status, 200);
  assert.equal((await get(metrics, 'plant.example', '/metrics')).status, 200);
});

test('the authority of a target in absolute form counts like the field Host', async (t) => {
  const gateway = await startGateway(t, { config: { http: { ports: [0] } } });
  const port = portOf(gateway);
  assert.equal((await get(port, 'localhost', 'http://evil.example/healthz')).status, 421);
  assert.equal((await get(port, 'localhost', 'HTTP://user@localhost/healthz')).status, 421);
  assert.equal((await get(port, 'evil.example', 'http://localhost/healthz')).status, 421);
  assert.equal((await get(port, 'localhost', 'http://localhost/healthz')).status, 200);
  const old = 'GET http://evil.example/healthz HTTP/1.0';
  assert.equal((await exchange(port, old)).status, 421);
  assert.equal((await exchange(port, 'GET /healthz HTTP/1.0')).status, 200);
  assert.equal((await exchange(port, 'GET /healthz HTTP/1.0\r\nHost: evil.example')).status, 421);
});

test('a trusted proxy may name any host', async (t) => {
  const gateway = await startGateway(t, { config: { http: { ports: [0], trustedProxies: ['127.0.0.1'] } } });
  assert.equal((await get(portOf(gateway), 'public.example')).status, 200);
});

test('the names of the certificate are known, also of one that replaces it, and those of a reload', async (t) => {
  const gateway = await startGateway(t, { config: { http: { ports: [0] } } });
  const port = portOf(gateway);
  assert.equal((await get(port, 'first.example')).status, 421);
  putCertificate(gateway, 'first.example');
  await gateway.line('listening', gateway.lines.length);
  assert.equal((await get(port, 'first.example')).status, 200);

  putCertificate(gateway, '*.second.example');
  await gateway.line('listening', gateway.lines.length);
  assert.equal((await get(port, 'gate.second.example')).status, 200);
  assert.equal((await get(port, 'first.example')).status, 421);

  assert.equal((await gateway.reload({ http: { ports: [0], names: ['first.example'] } })).event, 'reloaded');
  assert.equal((await get(port, 'first.example')).status, 200);
});
