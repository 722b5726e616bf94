import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { DocumentError } from '../../../daemon/base/document-error.ts';
import { z } from '../../../daemon/base/schema.ts';
import { openStore } from '../../../daemon/base/store/store.ts';
import type { DriverFactory } from '../../../daemon/channel/driver.ts';
import { ConfigurationStore } from '../../../daemon/configuration/store/configuration-store.ts';
import type { ManagedDocument } from '../../../daemon/configuration/managed-document.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../daemon/configuration/store/snapshot-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { FACTORIES, PLANT } from './plant-fixture.ts';

const CHANGE = { basis: undefined, isDryRun: false, needsConfirmation: false };
const SECOND = { ...PLANT.assets[0], pid: 'pump' };
const WHOLE = { ...PLANT, assets: [...PLANT.assets, SECOND] };

/** A kind of driver whose channels have other addresses; it counts the channels that are checked. */
function createCountingFactory(): DriverFactory & { readonly checked: string[] } {
  const checked: string[] = [];
  return {
    type: 'other',
    configSchema: z.strictObject({ host: z.string() }),
    addressSchema: z.strictObject({ register: z.int() }),
    describe: () => 'other',
    checkChannel: ({ name }) => {
      checked.push(name);
      return [];
    },
    create: () => {
      throw new Error('a configuration creates no driver');
    },
    checked,
  };
}

async function open(t: TestContext, factories: () => readonly DriverFactory[] = () => FACTORIES) {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const service = new ConfigurationStore({
    snapshots: new SnapshotStore(store, new ManualClock()),
    factories,
    createMissingIdentity: () => Promise.resolve(false),
    logger: createMemoryLogger(),
    clock: new ManualClock(),
  });
  await service.provision([]);
  const change = (edit: (document: ManagedDocument) => unknown) => service.change({ ...CHANGE, edit });
  return { service, change };
}

test('an asset that a change leaves alone stays the very same, and its neighbour gets the change', async (t) => {
  const { service, change } = await open(t);
  await change(() => WHOLE);
  const [boiler, pump] = service.current().plant.assets;
  await change((document) => {
    const [first] = document['assets'] as readonly unknown[];
    return { ...document, assets: [first, { ...SECOND, scaleOnWrite: false }] };
  });
  const [boilerAfter, pumpAfter] = service.current().plant.assets;
  assert.equal(boilerAfter, boiler);
  assert.deepEqual(pumpAfter, { ...pump, scaleOnWrite: false });
});

test('what is sent again as it was read is neither checked nor stored again, in whatever order its keys are', async (t) => {
  const factory = createCountingFactory();
  const { change } = await open(t, () => [factory]);
  const channel = (name: string) => ({ name, type: 'READ', valueType: 'INTEGER', address: { register: 1 } });
  const asset = (pid: string, ...names: readonly string[]) => ({
    pid,
    driver: 'line',
    channels: names.map(channel),
  });
  const drivers = [{ pid: 'line', type: 'other', host: 'a' }];
  await change(() => ({ drivers, assets: [asset('tank', 'level', 'flow'), asset('pump', 'speed')] }));
  factory.checked.length = 0;

  const copy = structuredClone({ assets: [asset('tank', 'level', 'flow'), asset('pump', 'speed')], drivers });
  assert.equal((await change(() => copy)).isSaved, false);
  assert.deepEqual(factory.checked, []);

  const swapped = { drivers, assets: [asset('pump', 'speed'), asset('tank', 'level', 'flow', 'pressure')] };
  const { isSaved, plan } = await change(() => structuredClone(swapped));
  assert.ok(isSaved);
  assert.deepEqual([plan.added, plan.changed, plan.removed], [[], ['assets/tank'], []]);
  assert.deepEqual(factory.checked, ['level', 'flow', 'pressure']);
});

test('an asset whose driver becomes one of another kind is checked again', async (t) => {
  const { change } = await open(t, () => [...FACTORIES, createCountingFactory()]);
  await change(() => WHOLE);
  const attempt = change((document) => ({
    ...document,
    drivers: [{ pid: 'line1', type: 'other', host: 'a' }],
  }));
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof DocumentError);
    assert.match(JSON.stringify(error.faults), /register/);
    return true;
  });
});

test('an asset whose driver is removed is refused, though nobody touched it', async (t) => {
  const { change } = await open(t);
  await change(() => WHOLE);
  await assert.rejects(
    change((document) => ({ ...document, drivers: [] })),
    /unknown driver/,
  );
});

test('a kind of driver that is another one now checks its assets again, also at a reload', async (t) => {
  let kinds: readonly DriverFactory[] = [createCountingFactory()];
  const { service, change } = await open(t, () => kinds);
  await change(() => ({
    drivers: [{ pid: 'line', type: 'other', host: 'a' }],
    assets: [
      {
        pid: 'tank',
        driver: 'line',
        channels: [{ name: 'level', type: 'READ', valueType: 'INTEGER', address: { register: 1 } }],
      },
    ],
  }));
  const before = service.current();
  await service.check([]);
  await service.provision([]);
  assert.equal(service.current(), before);

  const other = createCountingFactory();
  kinds = [other];
  await service.check([]);
  assert.deepEqual(other.checked, ['level']);
  kinds = FACTORIES;
  await assert.rejects(service.check([]), /is not a driver type/);
});
