import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { answerFrame, startFaultServer } from '../support/modbus-fault-server.ts';
import { answerOf } from '../support/answer-of.ts';
import { replaceConfiguration } from '../../daemon/interface/configuration/configuration.ts';

const PASSWORD = 'restart-test-password';
const ROOT = '/services/configuration/v1';
const channel = (name: string) => ({
  name,
  type: 'READ',
  valueType: 'INTEGER',
  address: { table: 'HOLDING_REGISTERS', offset: 1, dataType: 'INT16' },
});

test('a change drops the connections that it touches, and no other', async (t) => {
  const startDevice = async () => {
    const device = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
    t.after(() => device[Symbol.asyncDispose]());
    return device;
  };
  const [first, second] = [await startDevice(), await startDevice()];
  const line = (pid: string, port: number) => ({ pid, type: 'modbus', host: '127.0.0.1', port });
  const provision = {
    identities: [{ name: 'chief', permissions: ['rest.admin'], password: PASSWORD }],
    drivers: [line('line1', first.port), line('line2', second.port)],
    assets: ['line1', 'line2'].map((driver) => ({ pid: `on-${driver}`, driver, channels: [channel('a')] })),
  };
  const gateway = await startGateway(t, { config: { provision } });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('chief', PASSWORD);
  const read = async (): Promise<void> => {
    for (const pid of ['on-line1', 'on-line2']) {
      const { text } = await client.send('GET', `/services/assets/${pid}/_read`);
      assert.match(text, /"SUCCESS"/);
    }
  };
  const change = async (path: string, body: object): Promise<unknown> => {
    const answer = await client.send('PUT', `${ROOT}${path}`, { body, headers: { 'If-Match': '*' } });
    assert.equal(answer.status, 200, answer.text);
    await read();
    return answerOf(replaceConfiguration, answer).restartedConnections;
  };
  const connections = () => [first.connectionCount(), second.connectionCount()];
  await read();
  assert.deepEqual(connections(), [1, 1]);

  assert.deepEqual(await change('/rest', { basicAuthenticationEnabled: true }), []);
  const more = { driver: 'line1', channels: [channel('a'), channel('b')] };
  assert.deepEqual(await change('/assets/on-line1', more), []);
  assert.deepEqual(await change('/drivers/line3', line('line3', 1)), []);
  assert.deepEqual(await change('/drivers/line2', { ...line('line2', second.port), retries: 1 }), []);
  const ofUnit = { ...line('line2', second.port), units: [{ unitId: 1, responseTimeoutMs: 2000 }] };
  assert.deepEqual(await change('/drivers/line2', ofUnit), []);
  assert.deepEqual(connections(), [1, 1]);

  const slower = { ...line('line2', second.port), responseTimeoutMs: 2000 };
  assert.deepEqual(await change('/drivers/line2', slower), ['line2']);
  assert.deepEqual(connections(), [1, 2]);
});
