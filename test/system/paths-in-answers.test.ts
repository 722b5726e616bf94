import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { getClientCertificate } from '../support/certificate-authority.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { buildPackage } from '../support/package-builder.ts';
import { openSerialPair } from '../support/serial-pair.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { testsThatNeed } from '../support/tests-that-need.ts';
import { answerOf } from '../support/answer-of.ts';
import { listOperations } from '../../daemon/interface/software/packages.ts';

const { test: testWithLines } = testsThatNeed('socat');
const ROOT = path.resolve(import.meta.dirname, '../..');
const BOUNDARY = 'boundary-8d21';

type Call = (method: string, path: string, body?: unknown) => Promise<ClientAnswer>;

interface Connection {
  readonly pid: string;
  readonly settings: object;
  readonly address: object;
}

const permissions = ['rest.assets', 'rest.events', 'rest.configuration', 'rest.deploy', 'rest.identity'];
const register = { table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' };
const command = { request: 'W', response: { pattern: '^(.*)$' }, write: '{value}' };
const framing = { type: 'fixedLength', length: 1 };

// The directory of the gateway, its sources, and whatever else no client needs.
function assertNoPath(gateway: RunningGateway, where: string, text: string): void {
  for (const part of [gateway.directory, ROOT, '/dev/', '/tmp/', '/etc/', '/var/', '/usr/', '/proc/']) {
    assert.ok(!text.includes(part), `${where} shows ${part}: ${text}`);
  }
}

async function start(
  t: TestContext,
  connections: readonly Connection[],
  more: { readonly directory?: string; readonly provision?: object; readonly metricsPort?: number } = {},
): Promise<{ gateway: RunningGateway; call: Call; events: EventStreamClient }> {
  const { directory = createTemporaryDirectory(t), provision, metricsPort } = more;
  const gateway = await startGateway(t, {
    directory,
    config: {
      ...(metricsPort === undefined ? {} : { metrics: { host: '127.0.0.1', port: metricsPort } }),
      provision: {
        rest: { statelessCertificateAuthenticationEnabled: true, jwtAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions }],
        drivers: connections.map(({ pid, settings }) => ({ pid, ...settings })),
        assets: connections.map(({ pid, address }) => ({
          pid,
          driver: pid,
          channels: [{ name: 'value', type: 'READ_WRITE', valueType: 'INTEGER', address }],
        })),
        ...provision,
      },
    },
  });
  const client = { port: gateway.clientAuthPorts[0] ?? 0, ...(await getClientCertificate('scada')) };
  const events = new EventStreamClient(t, { ...client, path: '/services/events/v1' });
  await events.opened();
  const call: Call = async (method, url, body) => {
    const answer = await send(client, method, url, { body });
    assertNoPath(gateway, `${method} ${url}`, answer.text);
    return answer;
  };
  return { gateway, call, events };
}

/** Reads, writes and shows the state, with failures each time; returns all texts. */
async function provoke(call: Call, pid: string): Promise<string> {
  const channels = [{ name: 'value', type: 'INTEGER', value: 1 }];
  const read = await call('GET', `/services/assets/${pid}/_read`);
  assert.match(read.text, /"FAILURE"/);
  const later = await call('GET', `/services/assets/${pid}/_read`);
  const written = await call('POST', `/services/assets/${pid}/_write`, { channels });
  const status = await call('GET', `/services/assets/${pid}/_status`);
  return [read, later, written, status].map(({ text }) => text).join('\n');
}

testWithLines('lines: neither records nor state, events and metrics show where a device lies', async (t) => {
  await using pair = await openSerialPair();
  const directory = createTemporaryDirectory(t);
  const [metricsPort = 0] = await findFreePorts(1);
  writeFileSync(path.join(directory, 'no-line'), '');
  const missing = path.join(directory, 'by-id/usb-missing');
  const rtu = { type: 'modbus', transport: 'rtu', responseTimeoutMs: 20 };
  const serial = { type: 'serial', framing, responseTimeoutMs: 20 };
  const connections: readonly Connection[] = [
    { pid: 'missingScale', settings: { ...serial, device: missing }, address: command },
    { pid: 'missingMeter', settings: { ...rtu, device: missing }, address: register },
    { pid: 'file', settings: { ...serial, device: path.join(directory, 'no-line') }, address: command },
    { pid: 'directory', settings: { ...rtu, device: directory }, address: register },
    { pid: 'rs485', settings: { ...serial, device: pair.instrument, rs485: {} }, address: command },
    { pid: 'silentScale', settings: { ...serial, device: pair.gateway }, address: command },
    { pid: 'busy', settings: { ...rtu, device: pair.gateway }, address: register },
  ];
  const { gateway, call, events } = await start(t, connections, { directory, metricsPort });
  const texts = new Map<string, string>();
  for (const { pid } of connections) texts.set(pid, await provoke(call, pid));
  assert.match(texts.get('missingScale') ?? '', /cannot open serial line usb-missing: no such device/);
  assert.match(texts.get('missingMeter') ?? '', /"endpoint":"usb-missing"/);
  assert.match(texts.get('silentScale') ?? '', /"name":"instrument at gateway"/);
  assert.match(texts.get('busy') ?? '', /another program or driver has it open/);
  assert.match(texts.get('rs485') ?? '', /no RS-485 mode/);
  await events.find(({ data }) => (data as { driver?: string }).driver === 'busy');
  assertNoPath(gateway, 'the stream of events', JSON.stringify(events.events));
  const metrics = await send({ port: metricsPort, plain: true }, 'GET', '/metrics');
  assertNoPath(gateway, 'metrics', metrics.text);
  const named = gateway.lines
    .filter((entry) => JSON.stringify(entry).includes(missing))
    .map(({ event }) => event);
  assert.ok(named.includes('driver.connectionLost'), 'the log keeps the path');
});

test('TLS: a file that is missing or unusable is named by its setting', async (t) => {
  const directory = createTemporaryDirectory(t);
  const [missing, noPem] = ['missing.pem', 'no-pem.pem'].map((name) => path.join(directory, name));
  writeFileSync(noPem ?? '', 'no PEM');
  const tls = { type: 'modbus', transport: 'tcp-tls', host: '127.0.0.1', port: 9 };
  const { gateway, call, events } = await start(
    t,
    [
      { pid: 'missing', settings: { ...tls, certificateAuthoritiesFile: missing }, address: register },
      { pid: 'noPem', settings: { ...tls, certificateAuthoritiesFile: noPem }, address: register },
      {
        pid: 'key',
        settings: {
          ...tls,
          certificateAuthoritiesFile: noPem,
          certificateFile: noPem,
          privateKeyFile: missing,
        },
        address: register,
      },
      {
        pid: 'badKey',
        settings: {
          ...tls,
          certificateAuthoritiesFile: noPem,
          certificateFile: noPem,
          privateKeyFile: noPem,
        },
        address: register,
      },
    ],
    { directory },
  );
  assert.match(await provoke(call, 'missing'), /certificateAuthoritiesFile cannot be read: no such file/);
  assert.match(await provoke(call, 'key'), /privateKeyFile cannot be read: no such file/);
  assert.match(await provoke(call, 'badKey'), /certificateFile, privateKeyFile cannot be used/);
  await provoke(call, 'noPem');
  assertNoPath(gateway, 'the stream of events', JSON.stringify(events.events));
  assert.ok(
    gateway.lines.some((entry) => JSON.stringify(entry).includes(missing ?? '')),
    'the log keeps the path',
  );
});

test('OPC UA: a directory for certificates that cannot be created is not shown', async (t) => {
  const directory = createTemporaryDirectory(t);
  mkdirSync(path.join(directory, 'data'), { mode: 0o700 });
  writeFileSync(path.join(directory, 'data/drivers'), 'no directory');
  const settings = { type: 'opcua', endpointUrl: 'opc.tcp://127.0.0.1:9' };
  const plc = { pid: 'plc', settings, address: { nodeId: 'i=2258' } };
  const { gateway, call, events } = await start(t, [plc], { directory });
  assert.match(
    await provoke(call, 'plc'),
    /cannot use a file of the gateway: expected a directory, found a file/,
  );
  assertNoPath(gateway, 'the stream of events', JSON.stringify(events.events));
  assert.ok(
    gateway.lines.some((entry) => JSON.stringify(entry).includes('data/drivers')),
    'the log keeps the path',
  );
});

test('packages: neither a missing file nor the stack of a bundle shows a path', async (t) => {
  const directory = createTemporaryDirectory(t);
  const { gateway, call, events } = await start(t, [], { directory });
  const url = `file://${directory}/secret-folder/missing.dp`;
  const client = { port: gateway.clientAuthPorts[0] ?? 0, ...(await getClientCertificate('scada')) };
  const upload = async (name: string, main: string): Promise<void> => {
    const content = buildPackage({ symbolicName: name, bundles: [{ symbolicName: name, main }] });
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.dp"\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
    const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
    assert.equal((await send(client, 'POST', '/services/deploy/v2/_upload', { headers, body })).status, 200);
  };
  await upload('example.stack', 'export function activate() { throw new Error(new Error().stack); }');
  await upload(
    'example.import',
    `import 'node:fs'; export const activate = () => import('/opt/none/x.mjs');`,
  );
  assert.equal((await send(client, 'POST', '/services/deploy/v2/_install', { body: { url } })).status, 200);
  await events.find(() => events.events.filter(({ type }) => type === 'DEPLOYMENT').length >= 3);
  assert.ok(
    events.events
      .filter(({ type }) => type === 'DEPLOYMENT')
      .every(({ data }) => typeof (data as { readonly errorCode?: unknown }).errorCode === 'number'),
    'a failure has the code of its DeploymentException',
  );
  const { json } = await send(client, 'GET', '/services/deploy/v2/_status');
  // The address that the client itself gave is shown to those who may install.
  const operations = answerOf(listOperations, { json }).map(({ state, message }) => ({ state, message }));
  assert.deepEqual(
    operations.map(({ state }) => state),
    ['FAILED', 'FAILED', 'FAILED'],
  );
  assertNoPath(gateway, '_status', JSON.stringify(operations));
  await call('GET', '/services/deploy/v2/_bundles');
  await call('GET', '/services/deploy/v2/_bundles/example.stack/_log');
  await call('GET', '/services/deploy/v2/_bundles/example.import/_log');
  await call('GET', '/services/deploy/v2/');
  assertNoPath(gateway, 'the stream of events', JSON.stringify(events.events));
});

test('tokens and configuration: a key that cannot be read is named by its service', async (t) => {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'missing.key');
  const service = { pid: 'local', issuer: 'penstock', algorithm: 'ES256' };
  const { gateway, call } = await start(t, [], {
    directory,
    provision: { tokenIssuingServices: [{ ...service, privateKeyFile: file, certificateFile: file }] },
  });
  assert.equal((await call('POST', '/services/token/jwt/v1/issue')).status, 500);
  await call('GET', '/services/openapi.json');
  assert.ok(
    gateway.lines.some((entry) => JSON.stringify(entry).includes(file)),
    'the log keeps the path',
  );
});
