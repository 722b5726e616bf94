import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../../../daemon/base/random.ts';
import { AssetRegistry } from '../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import type { Plant } from '../../../../daemon/plant/asset/plant-config.ts';
import { NotFound } from '../../../../daemon/base/errors.ts';
import { createLastWrites } from '../../../support/last-writes.ts';
import { createSlicingClock, ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createScriptedFactory } from '../../../support/scripted-driver.ts';

function createBench(clock = new ManualClock()) {
  const factory = createScriptedFactory();
  const changes: string[] = [];
  const registry = new AssetRegistry({
    factories: () => [factory],
    driverDirectory: '/var/lib/penstock/drivers',
    onChange: ({ driver, endpoint, status, unit }) =>
      changes.push(`${driver} at ${endpoint}: ${unit?.name ?? status.state}`),
    logger: createMemoryLogger(),
    clock,
    lastWrites: createLastWrites(new ManualClock()),
    random: systemRandom,
  });
  const plant = (drivers: readonly object[], assets: readonly object[]): Plant => {
    const { value, faults } = finish(checkPlant([factory], { drivers, assets }));
    assert.equal(faults, undefined);
    assert.ok(value !== undefined);
    return value;
  };
  return { factory, registry, plant, changes };
}

const driver = (pid: string, changes: object = {}) => ({ pid, type: 'scripted', line: pid, ...changes });
const asset = (pid: string, driverPid: string, changes: object = {}) => ({
  pid,
  driver: driverPid,
  channels: [{ name: 'a', type: 'READ', valueType: 'DOUBLE', address: {}, ...changes }],
});

test('list returns the assets in configuration order', async () => {
  const { registry, plant } = createBench();
  await registry.apply(
    plant([driver('x')], [asset('b', 'x'), asset('a', 'x'), asset('10', 'x'), asset('9', 'x')]),
  );
  assert.deepEqual(
    registry.list().map(({ config }) => config.pid),
    ['b', 'a', '10', '9'],
  );
});

test('get throws NotFound when no asset has the pid', async () => {
  const { registry, plant } = createBench();
  await registry.apply(plant([driver('x')], [asset('a', 'x')]));
  assert.equal(registry.get('a').config.pid, 'a');
  for (const pid of ['', 'b', 'A', '__proto__', 'constructor']) {
    assert.throws(
      () => registry.get(pid),
      (error) => error instanceof NotFound && error.code === 'ASSET_UNKNOWN',
    );
  }
});

test('a connection that stays is told what is still configured when channels of it were removed', async () => {
  const { registry, plant, factory } = createBench();
  const assets = [asset('a', 'x'), asset('b', 'x', { name: 'b' }), asset('c', 'x', { name: 'c' })];
  await registry.apply(plant([driver('x')], assets.slice(0, 2)));
  await registry.apply(plant([driver('x')], assets));
  assert.equal(factory.made.get('x')?.[0]?.retained, undefined);
  await registry.apply(plant([driver('x')], assets.slice(1)));
  assert.deepEqual(factory.made.get('x')?.[0]?.retained, ['b', 'c']);
});

test('others have their turn between two connections whose channels were removed', async () => {
  let turns = 0;
  const clock = createSlicingClock(() => (turns += 1));
  const { registry, plant } = createBench(clock);
  const pids = ['v', 'w', 'x', 'y', 'z'];
  const drivers = pids.map((pid) => driver(pid));
  await registry.apply(plant(drivers, [...pids.map((pid) => asset(pid, pid)), asset('stays', 'v')]));
  turns = 0;
  await registry.apply(plant(drivers, [asset('stays', 'v')]));
  assert.ok(turns >= pids.length, String(turns));
});

test('apply keeps connections and assets that did not change', async () => {
  const { registry, plant, factory } = createBench();
  await registry.apply(plant([driver('x'), driver('y')], [asset('a', 'x'), asset('b', 'y')]));
  const before = registry.get('a');
  await before.readAll();
  await registry.apply(plant([driver('z'), driver('x')], [asset('c', 'z'), asset('a', 'x')]));
  assert.equal(registry.get('a'), before);
  assert.equal(factory.made.get('x')?.length, 1);
  assert.deepEqual(
    factory.made.get('x')?.map(({ connects, disconnects }) => [connects, disconnects]),
    [[1, 0]],
  );
});

test('apply closes the connections that are removed, and forgets their assets', async () => {
  const { registry, plant, factory } = createBench();
  await registry.apply(plant([driver('x'), driver('y')], [asset('a', 'x'), asset('b', 'y')]));
  await registry.get('b').readAll();
  await registry.apply(plant([driver('x')], [asset('a', 'x')]));
  assert.equal(factory.made.get('y')?.[0]?.disconnects, 1);
  assert.throws(() => registry.get('b'), NotFound);
});

test('apply creates a new asset on the same connection when only its channels change', async () => {
  const { registry, plant, factory } = createBench();
  await registry.apply(plant([driver('x')], [asset('a', 'x')]));
  const before = registry.get('a');
  await registry.apply(plant([driver('x')], [asset('a', 'x', { unit: '°C' })]));
  assert.notEqual(registry.get('a'), before);
  assert.equal(registry.get('a').connection, before.connection);
  assert.equal(factory.made.get('x')?.length, 1);
});

test('apply creates a new connection and new assets when the settings of the driver change', async () => {
  const { registry, plant, factory } = createBench();
  await registry.apply(plant([driver('x')], [asset('a', 'x')]));
  const before = registry.get('a');
  await registry.apply(plant([driver('x', { callDeadlineMs: 500 })], [asset('a', 'x')]));
  assert.notEqual(registry.get('a').connection, before.connection);
  assert.deepEqual(
    factory.made.get('x')?.map(({ disconnects }) => disconnects),
    [1, 0],
  );
});

test('apply moves an asset to the connection of its new driver', async () => {
  const { registry, plant } = createBench();
  await registry.apply(plant([driver('x'), driver('y')], [asset('a', 'x')]));
  await registry.apply(plant([driver('x'), driver('y')], [asset('a', 'y')]));
  assert.equal(registry.getConnection(registry.get('a')).config.pid, 'y');
  assert.equal(registry.getConnection(registry.get('a')).endpoint, 'line y');
});

test('assets of one driver share its connection', async () => {
  const { registry, plant, factory } = createBench();
  await registry.apply(plant([driver('x')], [asset('a', 'x'), asset('b', 'x')]));
  await Promise.all([registry.get('a').readAll(), registry.get('b').readAll()]);
  assert.equal(registry.get('a').connection, registry.get('b').connection);
  assert.equal(factory.made.get('x')?.[0]?.connects, 1);
});

test('stop closes every connection and removes every asset; a second stop does nothing', async () => {
  const { registry, plant, factory } = createBench();
  await registry.apply(plant([driver('x'), driver('y')], [asset('a', 'x')]));
  await registry.stop();
  await registry.stop();
  assert.deepEqual(
    [...factory.made.values()].flat().map(({ disconnects }) => disconnects),
    [1, 1],
  );
  assert.deepEqual(registry.list(), []);
});

test('a change of a connection, or of a device behind it, is reported with the pid of the driver', async () => {
  const { factory, registry, plant, changes } = createBench();
  await registry.apply(plant([driver('line1')], [asset('pump', 'line1')]));
  await registry.get('pump').readAll();
  assert.deepEqual(changes, ['line1 at line line1: CONNECTING', 'line1 at line line1: CONNECTED']);
  factory.made.get('line1')?.[0]?.lose(new Error('gone'));
  await registry.stop();
  assert.deepEqual(changes.slice(2), ['line1 at line line1: DISCONNECTED']);
});
