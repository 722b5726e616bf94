import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DriverFactory } from '../../daemon/channel/driver.ts';
import { createOpcuaDriverFactory } from '../../drivers/opcua/opcua-driver.ts';
import { createOpcuaPart } from './devices/opcua/opcua-part.ts';
import { OpcuaNetwork } from './devices/opcua/opcua-network.ts';
import { soakPart } from './devices/part-soak.ts';
import type { CreatePart } from './devices/part-soak.ts';

const HOUR_MS = 3_600_000;

const create: CreatePart = ({ time, random, chronicle }) => {
  const network = new OpcuaNetwork();
  const part = createOpcuaPart({
    time,
    random,
    network,
    chronicle,
    pid: 'plc',
    firstPoint: 1,
    assetCount: 2,
  });
  const factory: DriverFactory = createOpcuaDriverFactory(network.equip);
  return { part, factory };
};

test('values of a simulated server are true, and writes are carried out once, when nothing fails', async () => {
  const { broken, counts } = await soakPart(create, { seed: 'calm', lengthMs: 600_000, hasFaults: false });
  assert.equal(broken, undefined);
  assert.equal(counts.failures, 0);
  assert.equal(counts.unknown + counts.notWritten, 0);
  assert.ok(counts.values > 1000 && counts.written > 100 && counts.reports > 1000, JSON.stringify(counts));
});

for (const seed of ['a', 'b', 'c', 'd']) {
  test(`values of a server that fails are true for an hour, seed ${seed}`, async () => {
    const { broken, counts } = await soakPart(create, { seed, lengthMs: HOUR_MS });
    assert.equal(broken, undefined);
    assert.ok(counts.failures > 0 && counts.values > 0, JSON.stringify(counts));
  });
}

test('two runs of one seed are the same', async () => {
  const [first, second] = [
    await soakPart(create, { seed: 'twice', lengthMs: HOUR_MS / 4 }),
    await soakPart(create, { seed: 'twice', lengthMs: HOUR_MS / 4 }),
  ];
  assert.equal(first.digest, second.digest);
});
