import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { readAsset } from '../../daemon/interface/plant/assets.ts';
import { answerOf } from '../support/answer-of.ts';
import { findFreePort } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { startCurrentPymodbusServer } from '../support/pymodbus-server.ts';
import { needs } from '../support/tests-that-need.ts';

const PASSWORD = 'transports-turbine';

const register = (name: string, offset: number): object => ({
  name,
  type: 'READ',
  valueType: 'INTEGER',
  address: { table: 'HOLDING_REGISTERS', offset, dataType: 'UINT16' },
});

function start(t: TestContext, settings: object, channels: readonly object[]): Promise<RunningGateway> {
  return startGateway(t, {
    config: {
      provision: {
        identities: [{ name: 'operator', permissions: ['rest.assets'], password: PASSWORD }],
        drivers: [{ pid: 'line', type: 'modbus', ...settings }],
        assets: [{ pid: 'meter', driver: 'line', channels }],
      },
    },
  });
}

async function logIn(gateway: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('operator', PASSWORD);
  return client;
}

async function read(client: SessionClient) {
  return answerOf(readAsset, await client.send('GET', '/services/assets/meter/_read'));
}

test('a device over UDP is read over REST, with a text in a file', needs('pymodbus-3.16'), async (t) => {
  const device = await startCurrentPymodbusServer('udp');
  t.after(() => device.close());
  const settings = { transport: 'udp', host: '127.0.0.1', port: device.port };
  const file = {
    name: 'file',
    type: 'READ',
    valueType: 'STRING',
    address: { table: 'FILE_RECORDS', file: 4, offset: 1, dataType: 'STRING', length: 20 },
  };
  const client = await logIn(await start(t, settings, [register('energy', 7), file]));
  assert.deepEqual(
    (await read(client)).map(({ value }) => value),
    [7, 'SERVER DUMMY RECORD.'],
  );
});

test('a device that connects to the gateway is read over REST', needs('pymodbus-3.16'), async (t) => {
  const device = await startCurrentPymodbusServer('rtu-over-tcp');
  t.after(() => device.close());
  const listenPort = await findFreePort();
  const settings = {
    transport: 'tcp-listen',
    listenPort,
    identify: { registration: 'DTU01' },
    connectTimeoutMs: 1,
    readFunction: 'READ_WRITE',
    scratchOffset: 900,
  };
  const client = await logIn(await start(t, settings, [register('energy', 7)]));
  const [absent] = await read(client);
  assert.match(
    absent?.channelStatus.exceptionMessage ?? '',
    new RegExp(`DTU01 on port ${listenPort} has not connected`),
  );
  const [modem, line] = [connect(listenPort, '127.0.0.1'), connect(device.port, '127.0.0.1')];
  t.after(() => [modem, line].forEach((socket) => socket.destroy()));
  modem.write('DTU01');
  modem.pipe(line).pipe(modem);
  let value: unknown;
  while (value === undefined) value = (await read(client))[0]?.value;
  assert.equal(value, 7);
});
