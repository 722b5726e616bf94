import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { getClientCertificate } from '../support/certificate-authority.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import type { ReceivedEvent } from '../support/event-stream-client.ts';
import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { testsThatNeed } from '../support/tests-that-need.ts';
import type { ResultRecord } from '../../daemon/interface/plant/assets.ts';

const { test } = testsThatNeed('libmodbus');

const PASSWORD = 'listening-password';

const register = (name: string, offset: number, dataType = 'INT16') => ({
  name,
  type: 'READ_WRITE',
  valueType: dataType === 'INT64' ? 'LONG' : 'INTEGER',
  address: { table: 'HOLDING_REGISTERS', offset, dataType },
});

const plantOn = (port: number, changes: object = {}) => ({
  rest: { statelessCertificateAuthenticationEnabled: true },
  identities: [
    { name: 'scada', permissions: ['rest.assets', 'rest.events'] },
    { name: 'viewer', permissions: ['rest.assets'], password: PASSWORD },
  ],
  drivers: [{ pid: 'line1', type: 'modbus', host: '127.0.0.1', port }],
  assets: [{ pid: 'plant', driver: 'line1', channels: [register('a', 1), register('b', 2, 'INT64')] }],
  ...changes,
});

interface Bench {
  readonly gateway: RunningGateway;
  readonly call: (method: string, path: string, body?: unknown) => Promise<ClientAnswer>;
  readonly write: (name: string, type: string, value: unknown) => Promise<void>;
  readonly listen: (path: string, headers?: Readonly<Record<string, string>>) => EventStreamClient;
}

async function start(t: TestContext, modbusPort: number): Promise<Bench> {
  const gateway = await startGateway(t, { config: { provision: plantOn(modbusPort) } });
  const pair = await getClientCertificate('scada');
  const [port = 0] = gateway.clientAuthPorts;
  const call: Bench['call'] = (method, target, body) =>
    send({ port, ...pair }, method, `/services${target}`, { body });
  return {
    gateway,
    call,
    async write(name, type, value) {
      const answer = await call('POST', '/assets/plant/_write', {
        channels: [{ name, type, value }],
      });
      assert.equal(answer.status, 200, answer.text);
    },
    listen: (target, headers) =>
      new EventStreamClient(t, { port, path: `/services${target}`, headers, ...pair }),
  };
}

const recordsOf = ({ data }: ReceivedEvent): readonly ResultRecord[] => data as readonly ResultRecord[];
const flagsOf = (event: ReceivedEvent): readonly string[] =>
  recordsOf(event).map(({ name, channelStatus }) => `${name} ${channelStatus.channelFlag}`);
const isType = (type: string) => (event: ReceivedEvent) => event.type === type;

test('a listener gets a snapshot, then only changes, with every digit of a LONG', async (t) => {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  const { write, listen } = await start(t, server.port);
  const stream = listen('/assets/plant/_listen?minimumIntervalMs=100');
  const snapshot = await stream.find(isType('snapshot'));
  assert.deepEqual(
    recordsOf(snapshot).map(({ name, value }) => [name, value]),
    [
      ['a', 1],
      ['b', 562962838585349],
    ],
  );
  await write('a', 'INTEGER', 77);
  const change = await stream.find(isType('change'));
  assert.deepEqual(
    recordsOf(change).map(({ name, value }) => [name, value]),
    [['a', 77]],
  );
  assert.notEqual(change.id, snapshot.id);
});

test('a listener that comes back gets the changes of its absence', async (t) => {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  const { write, listen } = await start(t, server.port);
  const target = '/assets/plant/_listen?minimumIntervalMs=100';
  const first = listen(target);
  const witness = listen(target);
  const { id = '' } = await first.find(isType('snapshot'));
  await witness.find(isType('snapshot'));
  await first.close();
  await write('a', 'INTEGER', 99);
  await witness.find(isType('change'));
  const second = listen(target, { 'Last-Event-ID': id });
  const change = await second.find(() => true);
  assert.deepEqual(
    [change.type, recordsOf(change).map(({ name, value }) => [name, value])],
    ['change', [['a', 99]]],
  );
  const stranger = listen(target, { 'Last-Event-ID': '0123456789abcdef-4' });
  await stranger.find(isType('snapshot'));
  assert.deepEqual(
    stranger.events.slice(0, 2).map(({ type }) => type),
    ['gap', 'snapshot'],
  );
});

test('a device that is killed and started again yields failures, then values, on both streams', async (t) => {
  const first = await startLibmodbusServer(await findFreePort());
  const { listen } = await start(t, first.port);
  const events = listen('/events/v1');
  await events.opened();
  const stream = listen('/assets/plant/_listen?minimumIntervalMs=100');
  await stream.find(isType('snapshot'));
  await first.close();
  const lost = await stream.find(isType('change'));
  assert.deepEqual(flagsOf(lost), ['a FAILURE', 'b FAILURE']);
  const down = await events.find(({ data }) => (data as { state?: string }).state === 'DOWN');
  const second = await startLibmodbusServer(first.port);
  t.after(() => second.close());
  const back = await stream.find((event) => flagsOf(event).includes('a SUCCESS'), 2);
  assert.deepEqual(flagsOf(back), ['a SUCCESS', 'b SUCCESS']);
  const between = stream.events.slice(stream.events.indexOf(lost), stream.events.indexOf(back));
  // One for the loss of the connection, and one for the outcome of the next attempts.
  assert.ok(between.length <= 2, JSON.stringify(between));
  for (const event of between) assert.deepEqual(flagsOf(event), ['a FAILURE', 'b FAILURE']);
  const up = await events.find(
    ({ data }) => (data as { state?: string }).state === 'UP',
    events.events.indexOf(down),
  );
  assert.deepEqual(
    [down, up].map(({ type, data }) => [type, (data as { driver: string }).driver]),
    [
      ['CONNECTION_STATE', 'line1'],
      ['CONNECTION_STATE', 'line1'],
    ],
  );
});

test('a stream ends with the reason when its asset changes, and events tell of the configuration', async (t) => {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  const { gateway, listen } = await start(t, server.port);
  const events = listen('/events/v1');
  await events.opened();
  const stream = listen('/assets/plant/_listen');
  await stream.find(isType('snapshot'));
  const changed = { assets: [{ pid: 'plant', driver: 'line1', channels: [register('a', 5)] }] };
  assert.equal((await gateway.reload({ provision: plantOn(server.port, changed) })).event, 'reloaded');
  await stream.ended();
  assert.deepEqual(stream.events.at(-1), { type: 'end', id: undefined, data: { reason: 'ASSET_CHANGED' } });
  await events.find(isType('CONFIGURATION_CHANGED'));
});

test('the gateway stops at once while streams are open, and tells them', async (t) => {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  const { gateway, listen } = await start(t, server.port);
  const stream = listen('/assets/plant/_listen');
  await stream.find(isType('snapshot'));
  assert.equal(await gateway.stop(), 0);
  await stream.ended();
  assert.deepEqual(stream.events.at(-1), { type: 'end', id: undefined, data: { reason: 'PORT_CLOSED' } });
});

test('a stream ends when its session does', async (t) => {
  const server = await startLibmodbusServer();
  t.after(() => server.close());
  const { gateway } = await start(t, server.port);
  const [port = 0] = gateway.httpsPorts;
  const session = new SessionClient({ port });
  assert.equal((await session.login('viewer', PASSWORD)).status, 200);
  const headers = { Cookie: session.cookie ?? '', 'X-XSRF-Token': session.xsrfToken ?? '' };
  const stream = new EventStreamClient(t, { port, path: '/services/assets/plant/_listen', headers });
  await stream.find(isType('snapshot'));
  assert.equal((await session.send('POST', '/services/session/v1/logout')).status, 204);
  await stream.ended();
  assert.deepEqual(stream.events.at(-1)?.data, { reason: 'NOT_AUTHENTICATED' });
});
