import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { systemRandom } from '../../../../../daemon/base/random.ts';
import { AssetAccess } from '../../../../../daemon/plant/access/asset-access.ts';
import { AssetRegistry } from '../../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../../daemon/base/slices.ts';
import { systemClock } from '../../../../../daemon/base/clock.ts';
import { createCommissioningRoutes } from '../../../../../daemon/server/rest/plant/commissioning-routes.ts';
import { createModbusDriverFactory } from '../../../../../drivers/modbus/modbus-driver.ts';
import type { ClientAnswer } from '../../../../support/https-client.ts';
import { startLibmodbusServer } from '../../../../support/libmodbus-server.ts';
import { createLastWrites } from '../../../../support/last-writes.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import type { ModbusProcess } from '../../../../support/modbus-process.ts';
import { createScriptedFactory } from '../../../../support/scripted-driver.ts';
import { openApplication, toIdentity } from '../../http/application-fixture.ts';
import { testsThatNeed } from '../../../../support/tests-that-need.ts';
import type { Decoding, ReadPlan } from '../../../../../daemon/interface/plant/commissioning.ts';

const { after, before, test } = testsThatNeed('libmodbus');

const CHANNELS = [
  { name: 'flow', type: 'READ', valueType: 'INTEGER', address: holding(257) },
  { name: 'next', type: 'READ', valueType: 'INTEGER', valueScale: 2, address: holding(258) },
  { name: 'missing', type: 'READ', valueType: 'INTEGER', address: holding(60_000) },
  { name: 'command', type: 'WRITE', valueType: 'INTEGER', address: holding(9) },
  { name: 'spare', type: 'READ', valueType: 'INTEGER', isEnabled: false, address: holding(10) },
];

let server: ModbusProcess;
before(async () => {
  server = await startLibmodbusServer();
});
after(() => server.close());

function holding(offset: number): object {
  return { table: 'HOLDING_REGISTERS', offset, dataType: 'INT16' };
}

async function openBench(t: TestContext, port = server.port) {
  const scripted = createScriptedFactory();
  const registry = new AssetRegistry({
    factories: () => [createModbusDriverFactory(), scripted],
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    logger: createMemoryLogger(),
    clock: systemClock,
    lastWrites: createLastWrites(systemClock),
    random: systemRandom,
  });
  const plant = finish(
    checkPlant([createModbusDriverFactory(), scripted], {
      drivers: [
        { pid: 'line', type: 'modbus', host: '127.0.0.1', port },
        { pid: 'script', type: 'scripted', line: '1' },
      ],
      assets: [
        { pid: 'plant', driver: 'line', channels: CHANNELS },
        {
          pid: 'toy',
          driver: 'script',
          channels: [{ name: 'level', type: 'READ', valueType: 'FLOAT', address: {} }],
        },
      ],
    }),
  );
  assert.ok(plant.value !== undefined);
  await registry.apply(plant.value);
  t.after(() => registry.stop());
  const access = new AssetAccess({ registry, identities: { find: toIdentity }, clock: systemClock });
  const { send } = await openApplication(t, createCommissioningRoutes(access, systemClock));
  const headers = { Authorization: 'assets' };
  const readAll = (): Promise<unknown> => registry.get('plant').readAll();
  const plan = (target: string): Promise<ClientAnswer> =>
    send('GET', `/services/assets/${target}`, { headers });
  const decode = async (body: object, pid = 'plant'): Promise<Decoding> => {
    const answer = await send('POST', `/services/assets/${pid}/_decode`, { headers, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as Decoding;
  };
  return { plan, decode, readAll, send };
}

test('the plan lists the requests of a full read with bytes and totals, and the channels that are not read', async (t) => {
  const { plan } = await openBench(t);
  const answer = await plan('plant/_plan');
  assert.equal(answer.status, 200);
  const { isPlanned, requests, total, notRead } = answer.json as ReadPlan;
  assert.equal(isPlanned, true);
  const nameOf = (range: string) => [
    { code: 'PLANNED_ENTRIES', parameters: { unit: 1, table: 'HOLDING_REGISTERS', range } },
  ];
  assert.deepEqual(requests, [
    {
      name: 'unit 1 HOLDING_REGISTERS 257-258',
      nameReasons: nameOf('257-258'),
      channels: ['flow', 'next'],
      requestBytes: 12,
      answerBytes: 13,
    },
    {
      name: 'unit 1 HOLDING_REGISTERS 60000',
      nameReasons: nameOf('60000'),
      channels: ['missing'],
      requestBytes: 12,
      answerBytes: 11,
    },
  ]);
  assert.deepEqual(total, { requests: 2, requestBytes: 24, answerBytes: 24 });
  assert.deepEqual(
    notRead.map(({ name }) => name),
    ['command', 'spare'],
  );
  assert.ok(notRead.every(({ reason, statusCode }) => reason.length > 0 && statusCode !== undefined));
});

test('the plan shows the duration of requests that were sent', async (t) => {
  const { plan, readAll } = await openBench(t);
  await readAll();
  const { requests } = (await plan('plant/_plan')).json as ReadPlan;
  const [first] = requests as readonly { readonly measuredMs?: number }[];
  assert.ok(typeof first?.measuredMs === 'number' && first.measuredMs > 0);
});

test('the plan of some channels is that of a read of only these channels', async (t) => {
  const { plan } = await openBench(t);
  const { requests, notRead } = (await plan('plant/_plan?channels=next,nobody')).json as ReadPlan;
  assert.deepEqual(
    requests.map(({ name }) => name),
    ['unit 1 HOLDING_REGISTERS 258'],
  );
  assert.deepEqual(
    notRead.map(({ name }) => name),
    ['nobody'],
  );
});

test('the plan of a driver without plans is empty and marked as not planned', async (t) => {
  const { plan } = await openBench(t);
  const { isPlanned, requests, total } = (await plan('toy/_plan')).json as ReadPlan;
  assert.deepEqual([isPlanned, requests], [false, []]);
  assert.deepEqual(total, { requests: 0, requestBytes: 0, answerBytes: 0 });
});

test('the plan refuses an invalid query', async (t) => {
  const { plan } = await openBench(t);
  for (const query of ['channels=', 'channels=a,,b', 'channel=a']) {
    assert.equal((await plan(`plant/_plan?${query}`)).status, 400, query);
  }
  assert.equal((await plan('nobody/_plan')).status, 404);
});

test('decode finds the setting that yields the expected value', async (t) => {
  const { decode } = await openBench(t);
  // Registers 257 and 258 hold 0101 and 0102.
  const { bytes, candidates = [], channelStatus } = await decode({ channel: 'flow', expected: 16_843_010 });
  assert.equal(channelStatus.channelFlag, 'SUCCESS');
  assert.match(bytes ?? '', /^01010102/);
  const [best] = candidates;
  assert.deepEqual([best?.value, best?.valueScale], [16_843_010, 1]);
  assert.deepEqual(best?.address, { dataType: 'INT32', byteOrder: 'BIG_ENDIAN', wordOrder: 'BIG_ENDIAN' });
});

test('decode marks the configured setting, with scale applied', async (t) => {
  const { decode } = await openBench(t);
  const { candidates = [] } = await decode({ channel: 'next', expected: 516 });
  assert.deepEqual(candidates[0], {
    value: 516,
    address: { dataType: 'INT16', byteOrder: 'BIG_ENDIAN' },
    valueScale: 2,
    valueOffset: 0,
    isConfigured: true,
    alternatives: [],
  });
  assert.ok(candidates.length <= 200);
});

for (const [channel, pid, part] of [
  ['missing', 'plant', 'ILLEGAL DATA ADDRESS'],
  ['nobody', 'plant', 'nobody'],
  ['spare', 'plant', 'disabled'],
  ['command', 'plant', 'only be written'],
  ['level', 'toy', 'does not expose raw bytes'],
] as const) {
  test(`decode of channel ${channel} of ${pid} is a failure with its reason`, async (t) => {
    const { decode } = await openBench(t);
    const { channelStatus, statusCode, bytes, candidates } = await decode({ channel }, pid);
    assert.equal(channelStatus.channelFlag, 'FAILURE');
    assert.match(statusCode ?? '', /^[A-Z][A-Z0-9_]+$/);
    assert.ok(channelStatus.exceptionMessage?.includes(part), channelStatus.exceptionMessage);
    assert.deepEqual([bytes, candidates], [undefined, undefined]);
  });
}

test('decode without a device is a failure within 200', async (t) => {
  const gone = await startLibmodbusServer();
  await gone.close();
  const { decode } = await openBench(t, gone.port);
  const { channelStatus } = await decode({ channel: 'flow' });
  assert.equal(channelStatus.channelFlag, 'FAILURE');
});

test('decode refuses an invalid body', async (t) => {
  const { send } = await openBench(t);
  const headers = { Authorization: 'assets' };
  for (const body of [
    {},
    { channel: 1 },
    { channel: 'flow', expected: null },
    { channel: 'flow', more: 1 },
  ]) {
    assert.equal((await send('POST', '/services/assets/plant/_decode', { headers, body })).status, 400);
  }
  const channel = { channel: 'flow' };
  assert.equal(
    (await send('POST', '/services/assets/nobody/_decode', { headers, body: channel })).status,
    404,
  );
});

test('plan and decode require the permission for assets', async (t) => {
  const { send } = await openBench(t);
  const headers = { Authorization: 'audit' };
  assert.equal((await send('GET', '/services/assets/plant/_plan', { headers })).status, 403);
  const body = { channel: 'flow' };
  assert.equal((await send('POST', '/services/assets/plant/_decode', { headers, body })).status, 403);
});
