import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { AssetRegistry } from '../../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import { systemClock } from '../../../../../daemon/base/clock.ts';
import { systemRandom } from '../../../../../daemon/base/random.ts';
import { createDriverRoutes } from '../../../../../daemon/server/rest/plant/driver-routes.ts';
import { createModbusDriverFactory } from '../../../../../drivers/modbus/modbus-driver.ts';
import { startLibmodbusServer } from '../../../../support/libmodbus-server.ts';
import { createLastWrites } from '../../../../support/last-writes.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import type { ModbusProcess } from '../../../../support/modbus-process.ts';
import { createScriptedFactory } from '../../../../support/scripted-driver.ts';
import { testsThatNeed } from '../../../../support/tests-that-need.ts';
import { findFreePort } from '../../../../support/free-ports.ts';
import { openApplication } from '../../http/application-fixture.ts';

const { after, before, test } = testsThatNeed('libmodbus');

let server: ModbusProcess;
before(async () => {
  server = await startLibmodbusServer();
});
after(() => server.close());

const channel = (name: string, offset: number): object => ({
  name,
  type: 'READ',
  valueType: 'INTEGER',
  address: { table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' },
});

async function openBench(t: TestContext, { channels = [] as readonly object[], port = server.port } = {}) {
  const factories = [createModbusDriverFactory(), createScriptedFactory()];
  const registry = new AssetRegistry({
    factories: () => factories,
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    logger: createMemoryLogger(),
    clock: systemClock,
    lastWrites: createLastWrites(systemClock),
    random: systemRandom,
  });
  const plant = finish(
    checkPlant(factories, {
      drivers: [
        { pid: 'line', type: 'modbus', host: '127.0.0.1', port },
        { pid: 'script', type: 'scripted', line: '1' },
      ],
      assets: channels.length === 0 ? [] : [{ pid: 'plant', driver: 'line', channels }],
    }),
  );
  assert.ok(plant.value !== undefined);
  await registry.apply(plant.value);
  t.after(() => registry.stop());
  const isReader = { present: true };
  const access = { mayRead: () => isReader.present };
  const { send } = await openApplication(t, createDriverRoutes({ registry, access, clock: systemClock }));
  const headers = { Authorization: 'configuration' };
  const run = async (pid: string): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await send('POST', `/services/drivers/v1/${pid}/_test`, { headers });
    assert.equal(answer.status, 200, answer.text);
    const { durationMs, ...rest } = answer.json as Readonly<Record<string, unknown>>;
    assert.equal(typeof durationMs, 'number');
    return rest;
  };
  return { registry, send, headers, run, isReader };
}

test('a test keeps the value from a caller that may not read the channel', async (t) => {
  const { run, isReader } = await openBench(t, { channels: [channel('flow', 257)] });
  isReader.present = false;
  const { outcome, asked, value } = await run('line');
  assert.deepEqual([outcome, asked, value], ['ANSWERED', 'channel flow of asset plant', undefined]);
});

test('a test asks for a channel of an asset, and gives its value', async (t) => {
  const { run } = await openBench(t, { channels: [channel('flow', 257)] });
  assert.deepEqual(await run('line'), {
    pid: 'line',
    endpoint: `127.0.0.1:${server.port}`,
    outcome: 'ANSWERED',
    asked: 'channel flow of asset plant',
    askedReasons: [{ code: 'TEST_CHANNEL', parameters: { channel: 'flow', asset: 'plant' } }],
    value: 257,
  });
});

test('a test without a channel asks for a value that most devices have', async (t) => {
  const { run } = await openBench(t);
  const { outcome, asked, value } = await run('line');
  assert.deepEqual([outcome, asked, value], ['ANSWERED', 'unit 1 HOLDING_REGISTERS 0', 0]);
});

test('a device that refuses has answered', async (t) => {
  const { run } = await openBench(t, { channels: [channel('missing', 60_000)] });
  const { outcome, value, statusCode } = await run('line');
  assert.deepEqual([outcome, value, statusCode], ['ANSWERED', undefined, 'MODBUS_EXCEPTION_2']);
});

test('a connection of whose devices nothing is known is only opened', async (t) => {
  const { run } = await openBench(t);
  const { outcome, asked } = await run('script');
  assert.deepEqual([outcome, asked], ['CONNECTED', undefined]);
});

test('a test connects at once, although the connection waits after a failure', async (t) => {
  const port = await findFreePort();
  const { run } = await openBench(t, { channels: [channel('flow', 257)], port });
  const { outcome, statusCode } = await run('line');
  assert.equal(outcome, 'FAILED');
  assert.notEqual(statusCode, 'NOT_CONNECTED');
  const again = await run('line');
  assert.deepEqual([again['outcome'], again['statusCode']], ['FAILED', statusCode]);
});

test('the list shows each connection with its state and its assets', async (t) => {
  const { send, headers, run } = await openBench(t, { channels: [channel('flow', 257)] });
  await run('line');
  const { json } = await send('GET', '/services/drivers/v1', { headers });
  assert.deepEqual(
    (json as readonly Readonly<Record<string, unknown>>[]).map(({ pid, type, state, assets }) => ({
      pid,
      type,
      state,
      assets,
    })),
    [
      { pid: 'line', type: 'modbus', state: 'CONNECTED', assets: ['plant'] },
      { pid: 'script', type: 'scripted', state: 'DISCONNECTED', assets: [] },
    ],
  );
});

test('a driver that is not configured is answered with 404', async (t) => {
  const { send, headers } = await openBench(t);
  const { status } = await send('POST', '/services/drivers/v1/nothing/_test', { headers });
  assert.equal(status, 404);
});
