import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { openStore } from '../../../daemon/base/store/store.ts';
import type { DriverFactory } from '../../../daemon/channel/driver.ts';
import { ConfigurationStore } from '../../../daemon/configuration/store/configuration-store.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../daemon/configuration/store/snapshot-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createSource, FACTORIES, PLANT } from './plant-fixture.ts';

const SOURCE = createSource('a', JSON.stringify(PLANT));
const LEVEL = { name: 'level', type: 'READ', valueType: 'INTEGER', address: { offset: 2 } };

/** A state on which daemons start, and a count of the channels that they check. */
function createState(t: TestContext) {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const logger = createMemoryLogger();
  let checked = 0;
  const count = (factory: DriverFactory, isOfBundle: boolean): DriverFactory => ({
    ...factory,
    isOfBundle,
    checkChannel(channel) {
      checked += 1;
      return factory.checkChannel(channel);
    },
  });
  const own = FACTORIES.map((factory) => count(factory, false));
  const ofBundles = FACTORIES.map((factory) => count(factory, true));
  const start = ({ release = '1.0.0', isOfBundle = false } = {}) => {
    const snapshots = new SnapshotStore(store, new ManualClock(), { release });
    const createMissingIdentity = (): Promise<boolean> => Promise.resolve(false);
    const kinds = isOfBundle ? ofBundles : own;
    const service = new ConfigurationStore({
      snapshots,
      factories: () => kinds,
      createMissingIdentity,
      logger,
      clock: new ManualClock(),
    });
    return { service, snapshots };
  };
  const countDuring = async (work: () => Promise<unknown>): Promise<number> => {
    const before = checked;
    await work();
    return checked - before;
  };
  return { store, logger, start, countDuring };
}

test('a start does not check what its release found right: channels are read when they are asked for', async (t) => {
  const { start, countDuring } = createState(t);
  assert.equal(await countDuring(() => start().service.provision([SOURCE])), 1);
  const { service } = start();
  assert.equal(await countDuring(() => service.provision([SOURCE])), 0);
  const [asset] = service.current().plant.assets;
  assert.equal(
    await countDuring(async () => {
      assert.deepEqual(
        asset?.channels.map(({ name }) => name),
        ['flow'],
      );
      assert.equal(asset?.channels, asset?.channels);
    }),
    1,
  );
});

test('a change is checked at the next start, and not at those that follow', async (t) => {
  const { start, countDuring } = createState(t);
  const { service, snapshots } = start();
  await service.provision([SOURCE]);
  const [boiler] = PLANT.assets;
  const assets = [{ ...boiler, channels: [...(boiler?.channels ?? []), LEVEL] }];
  await service.change({
    basis: undefined,
    edit: (document) => ({ ...document, assets }),
    isDryRun: false,
    needsConfirmation: false,
  });
  assert.equal(snapshots.findNewest()?.wasRight, undefined);
  assert.equal(await countDuring(() => start().service.provision([SOURCE])), 2);
  assert.equal(await countDuring(() => start().service.provision([SOURCE])), 0);
});

test('another release checks everything once', async (t) => {
  const { start, countDuring } = createState(t);
  await start().service.provision([SOURCE]);
  const next = { release: '1.1.0' };
  assert.equal(await countDuring(() => start(next).service.provision([SOURCE])), 1);
  assert.equal(await countDuring(() => start(next).service.provision([SOURCE])), 0);
  assert.equal(await countDuring(() => start().service.provision([SOURCE])), 1);
});

test('assets of drivers of bundles are checked at each start', async (t) => {
  const { start, countDuring } = createState(t);
  await start({ isOfBundle: true }).service.provision([SOURCE]);
  assert.equal(await countDuring(() => start({ isOfBundle: true }).service.provision([SOURCE])), 1);
});

test('a change that the channels of another asset contradict is refused after such a start too', async (t) => {
  const { start } = createState(t);
  const onlyIf = [{ asset: 'boiler', channel: 'flow', operator: 'EQUALS', value: 1, maximumAgeMs: 1000 }];
  const valve = { ...LEVEL, name: 'valve', type: 'READ_WRITE', write: { onlyIf } };
  const assets = [...PLANT.assets, { pid: 'tank', driver: 'line1', channels: [valve] }];
  const source = createSource('a', JSON.stringify({ ...PLANT, assets }));
  await start().service.provision([source]);
  const { service } = start();
  await service.provision([source]);
  const change = service.change({
    basis: undefined,
    edit: (document) => ({ ...document, assets: [{ pid: 'boiler', driver: 'line1' }, assets[1]] }),
    isDryRun: false,
    needsConfirmation: false,
  });
  await assert.rejects(change, /asset "boiler": unknown channel "flow"/);
});

test('the first change after such a start reads the channels that it changes, and of conditions alone', async (t) => {
  const { start, countDuring } = createState(t);
  const level = (pid: string, others: object = {}) => ({
    pid,
    driver: 'line1',
    channels: [{ ...LEVEL, type: 'READ_WRITE', ...others }],
  });
  const onlyIf = [{ asset: 'boiler', channel: 'flow', operator: 'EQUALS', value: 1, maximumAgeMs: 1000 }];
  const assets = [...PLANT.assets, level('tank', { write: { onlyIf } }), level('pump'), level('mixer')];
  const source = createSource('a', JSON.stringify({ ...PLANT, assets }));
  await start().service.provision([source]);
  const { service } = start();
  await service.provision([source]);
  const edit = () => ({ ...PLANT, assets: [...assets.slice(0, 3), level('mixer', { unit: 'l' })] });
  const change = { basis: undefined, edit, isDryRun: false, needsConfirmation: false };
  // The mixer before and after, the tank with its condition, and the boiler that this names: no client has used the pump.
  assert.equal(await countDuring(() => service.change(change)), 4);
  assert.equal(await countDuring(async () => service.current().plant.assets[2]?.channels), 1);
});

test('a start on a full disk works, and the next one checks once more', async (t) => {
  const { store, logger, start, countDuring } = createState(t);
  await start().service.provision([SOURCE]);
  store.database.exec('UPDATE configuration_snapshot SET checked_by = NULL');
  const { service, snapshots } = start();
  snapshots.noteRight = () => {
    throw new Error('database or disk is full');
  };
  await service.provision([SOURCE]);
  assert.equal(service.current().plant.assets.length, 1);
  assert.ok(logger.lines.some(({ event }) => event === 'configuration.checkNotStored'));
  assert.equal(await countDuring(() => start().service.provision([SOURCE])), 1);
});

test('channels that another program made wrong in the store are named when they are asked for', async (t) => {
  const { store, start } = createState(t);
  await start().service.provision([SOURCE]);
  store.database.exec(
    `UPDATE configuration_part SET content = replace(content, '"offset":1', '"offset":-1')`,
  );
  const { service } = start();
  await service.provision([SOURCE]);
  const [asset] = service.current().plant.assets;
  for (let time = 0; time < 2; time += 1) {
    assert.throws(() => asset?.channels, /^RangeError: asset boiler: channels\[0\]\.address\.offset: /);
  }
});
