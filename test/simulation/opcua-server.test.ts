import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createChannelSchema } from '../../daemon/channel/channel.ts';
import { isSubscribing } from '../../daemon/channel/driver.ts';
import type { DriverFactory, Reading } from '../../daemon/channel/driver.ts';
import { createOpcuaDriverFactory } from '../../drivers/opcua/opcua-driver.ts';
import { createDriverContext } from '../support/driver-context.ts';
import { SMALL_NODES } from './devices/opcua/node-plans.ts';
import { createOpcuaPart } from './devices/opcua/opcua-part.ts';
import { OpcuaNetwork } from './devices/opcua/opcua-network.ts';
import { soakPart } from './devices/part-soak.ts';
import type { CreatePart } from './devices/part-soak.ts';
import { Chronicle } from './world/chronicle.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';

const HOUR_MS = 3_600_000;

const createMill: CreatePart = ({ time, random, chronicle }) => {
  const network = new OpcuaNetwork();
  const rates = { serverMs: HOUR_MS, nodeMs: 4 * HOUR_MS };
  const numbers = { firstPoint: 1, assetCount: 2 };
  const options = { time, random, network, chronicle, pid: 'mill', ...numbers, rates, plans: SMALL_NODES };
  return { part: createOpcuaPart(options), factory: createOpcuaDriverFactory(network.equip) };
};

const createPlc = ({ time, random, chronicle }: Parameters<CreatePart>[0]) => {
  const network = new OpcuaNetwork();
  const rates = { serverMs: HOUR_MS, nodeMs: 4 * HOUR_MS };
  const numbers = { firstPoint: 1, assetCount: 2 };
  const part = createOpcuaPart({ time, random, network, chronicle, pid: 'plc', ...numbers, rates });
  const factory: DriverFactory = createOpcuaDriverFactory(network.equip);
  return { part, factory };
};

test('values of a simulated server are true, and writes are carried out once, when nothing fails', async () => {
  const { broken, counts } = await soakPart(createPlc, { seed: 'calm', lengthMs: 600_000, hasFaults: false });
  assert.equal(broken, undefined);
  assert.equal(counts.failures, 0);
  assert.equal(counts.unknown + counts.notWritten, 0);
  assert.ok(counts.values > 1000 && counts.written > 100 && counts.reports > 1000, JSON.stringify(counts));
});

for (const seed of ['a', 'b', 'c', 'd']) {
  test(`values of a server that fails are true for an hour, seed ${seed}`, async () => {
    const { broken, counts } = await soakPart(createPlc, { seed, lengthMs: HOUR_MS });
    assert.equal(broken, undefined);
    assert.ok(counts.failures > 0 && counts.values > 0, JSON.stringify(counts));
  });
}

test('arrays and their elements are true, and written once, when nothing fails', async () => {
  const { broken, counts } = await soakPart(createMill, {
    seed: 'calm',
    lengthMs: 600_000,
    hasFaults: false,
  });
  assert.equal(broken, undefined);
  assert.equal(counts.failures + counts.unknown + counts.notWritten, 0);
  assert.ok(counts.values > 1000 && counts.written > 100 && counts.reports > 500, JSON.stringify(counts));
});

test('arrays and their elements are true when their server fails', async () => {
  const { broken, counts } = await soakPart(createMill, { seed: 'a', lengthMs: HOUR_MS / 2 });
  assert.equal(broken, undefined);
  assert.ok(counts.failures > 0 && counts.values > 0, JSON.stringify(counts));
});

test('two runs of one seed are the same', async () => {
  const [first, second] = [
    await soakPart(createPlc, { seed: 'twice', lengthMs: HOUR_MS / 4 }),
    await soakPart(createPlc, { seed: 'twice', lengthMs: HOUR_MS / 4 }),
  ];
  assert.equal(first.digest, second.digest);
});

test('a listener gets the value of a node that the server had not when the subscription began', async () => {
  const time = new SimulatedTime();
  const chronicle = new Chronicle(time);
  const { part, factory } = createPlc({ time, random: new Random('late node'), chronicle });
  const [node] = part.server.space.nodes;
  const appear = node?.fail({ readStatus: 'BadNodeIdUnknown' });
  const { pid: _pid, type: _type, ...settings } = part.driver;
  const driver = factory.create(factory.configSchema.parse(settings), createDriverContext({ clock: time }));
  assert.ok(isSubscribing(driver));
  const schema = createChannelSchema(factory.addressSchema);
  const [point] = part.assets[0]?.points ?? [];
  const readings: Reading[] = [];
  const { signal } = new AbortController();
  const connected = driver
    .connect(signal, () => undefined)
    .then(() =>
      driver.subscribe({
        channels: [schema.parse(point?.channel)],
        onReading: (_index, reading) => readings.push(reading),
        onEnd: assert.ifError,
        minimumIntervalMs: 100,
        signal,
      }),
    );
  await time.runUntil(20_000);
  await connected;
  assert.deepEqual(
    readings.map(({ failure }) => failure?.code),
    ['OPCUA_BAD_NODE_ID_UNKNOWN'],
  );
  appear?.();
  await time.runUntil(30_000);
  const newest = readings.at(-1)?.value;
  assert.ok(typeof newest === 'number' && point?.had(newest, 20_000, 30_000));
});
