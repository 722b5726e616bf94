import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createRestClient } from '../../daemon/cli/client/rest-client.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { answerFrame, startFaultServer } from '../support/modbus-fault-server.ts';
import type { FaultServer } from '../support/modbus-fault-server.ts';
import { answerOf } from '../support/answer-of.ts';
import { writeChannels } from '../../daemon/interface/plant/assets.ts';

const PASSWORD = 'repeated-request-password';
const WRITE = 6;

interface Field {
  readonly device: FaultServer;
  /** The device takes writes from now on and does not answer them. */
  silence(): void;
  /** Writes that came over the wire. */
  countWrites(): number;
  readonly gateway: RunningGateway;
}

async function startField(t: TestContext): Promise<Field> {
  let isSilent = false;
  const device = await startFaultServer((request, connection) => {
    if (!isSilent) connection.send(answerFrame(request));
  });
  t.after(() => device.close());
  const address = { table: 'HOLDING_REGISTERS', offset: 7, dataType: 'INT16' };
  const valve = { name: 'valve', type: 'READ_WRITE', valueType: 'INTEGER', address };
  const provision = {
    identities: [{ name: 'scada', permissions: ['rest.assets'], password: PASSWORD }],
    drivers: [
      { pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port, responseTimeoutMs: 60_000 },
    ],
    assets: [{ pid: 'tank', driver: 'line', channels: [valve] }],
  };
  return {
    device,
    silence: () => {
      isSilent = true;
    },
    countWrites: () => device.requests.filter(({ pdu }) => pdu[0] === WRITE || pdu[0] === 16).length,
    gateway: await startGateway(t, { config: { provision } }),
  };
}

async function login({ httpsPorts: [port = 0] }: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port });
  await client.login('scada', PASSWORD);
  return client;
}

function open(client: SessionClient, key: string): Promise<ClientAnswer> {
  return client.send('POST', '/services/assets/tank/_write', {
    body: { channels: [{ name: 'valve', type: 'INTEGER', value: 1 }] },
    headers: { 'Idempotency-Key': key },
  });
}

async function killAndStart(t: TestContext, { gateway }: Field): Promise<RunningGateway> {
  const exited = once(gateway.process, 'exit');
  gateway.process.kill('SIGKILL');
  await exited;
  return startGateway(t, { directory: gateway.directory, isConfigured: true });
}

test('a write that was answered before the daemon was killed is answered again, and not sent again', async (t) => {
  const field = await startField(t);
  const first = await open(await login(field.gateway), 'open-1');
  assert.match(first.text, /"SUCCESS"/);
  const next = await login(await killAndStart(t, field));
  const again = await open(next, 'open-1');
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  assert.equal(field.countWrites(), 1);
  assert.match((await open(next, 'open-2')).text, /"SUCCESS"/);
  assert.equal(field.countWrites(), 2);
});

test('a write that was sent when the daemon was killed has an unknown outcome, and is not sent again', async (t) => {
  const field = await startField(t);
  const client = await login(field.gateway);
  await client.send('GET', '/services/assets/tank/_read');
  const before = field.device.requests.length;
  field.silence();
  const cut = open(client, 'open-1').catch((error: unknown) => error);
  await field.device.received(before + 1);
  assert.equal(field.countWrites(), 1);
  const next = await login(await killAndStart(t, field));
  assert.ok((await cut) instanceof Error);
  for (const attempt of [1, 2]) {
    const answer = await open(next, 'open-1');
    const [record] = answerOf(writeChannels, answer);
    assert.equal(record?.statusCode, 'WRITE_INTERRUPTED', `attempt ${attempt}`);
    assert.equal(answer.headers['idempotency-replayed'], 'true');
  }
  assert.equal(field.countWrites(), 1);
});

test('an identity that lost a channel is not shown the first answer of a write to it, and nothing is sent', async (t) => {
  const field = await startField(t);
  const { gateway } = field;
  const administrator = createRestClient({ socketPath: path.join(gateway.dataDirectory, 'penstock.sock') });
  const grant = (...grants: readonly object[]): Promise<unknown> => {
    const body = { userName: 'scada', permissions: [], grants };
    return administrator.send('PUT', '/services/identity/v1/identities', { body });
  };
  const tank = { assets: ['tank'], operations: ['READ', 'WRITE'] };
  await grant(tank);
  const client = await login(gateway);
  const first = await open(client, 'open-1');
  assert.match(first.text, /"SUCCESS"/);
  await grant({ ...tank, channels: ['other'] }, { ...tank, assets: ['elsewhere'] });
  const unknown = await open(client, 'open-1');
  const fresh = await open(client, 'open-2');
  assert.deepEqual([unknown.status, unknown.json], [404, fresh.json]);
  await grant({ ...tank, operations: ['READ'] });
  const lost = await open(client, 'open-1');
  const [record] = answerOf(writeChannels, lost);
  assert.deepEqual(
    [lost.status, record?.statusCode, record?.outcome],
    [200, 'CHANNEL_NOT_GRANTED', 'UNKNOWN'],
  );
  await grant(tank);
  assert.equal((await open(client, 'open-1')).text, first.text);
  assert.equal(field.countWrites(), 1);
});
