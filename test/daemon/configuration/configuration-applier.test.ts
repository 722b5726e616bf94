import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { systemRandom } from '../../../daemon/base/random.ts';
import { AssetRegistry } from '../../../daemon/plant/asset/asset-registry.ts';
import { openStore } from '../../../daemon/base/store/store.ts';
import { ConfigurationStore } from '../../../daemon/configuration/store/configuration-store.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../daemon/configuration/store/snapshot-store.ts';
import { ConfigurationApplier } from '../../../daemon/configuration/configuration-applier.ts';
import { createLastWrites } from '../../support/last-writes.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

async function start(t: TestContext) {
  const directory = createTemporaryDirectory(t);
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const store = openStore(path.join(directory, 'store.db'), [configurationMigrations]);
  const common = { factories: () => [], logger, clock };
  const configuration = new ConfigurationStore({
    ...common,
    snapshots: new SnapshotStore(store, clock),
    createMissingIdentity: () => Promise.resolve(false),
  });
  const registry = new AssetRegistry({
    ...common,
    driverDirectory: directory,
    onChange: () => undefined,
    lastWrites: createLastWrites(common.clock),
    random: systemRandom,
  });
  const changes: number[] = [];
  let appliedPlants = 0;
  let wake = (): void => undefined;
  const applier = new ConfigurationApplier({
    ...common,
    configuration,
    registry,
    audit: { record: () => undefined },
    sources: [],
    onPlantApplied: async () => {
      appliedPlants += 1;
    },
    onChange(snapshotId) {
      changes.push(snapshotId);
      wake();
    },
  });
  await applier.start();
  t.after(async () => {
    await applier.stop();
    store.close();
  });
  const nextChange = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  return {
    clock,
    logger,
    store,
    configuration,
    applier,
    changes,
    nextChange,
    countApplied: () => appliedPlants,
  };
}

test('a change that cannot be reverted in time is reverted once the disk is writable', async (t) => {
  const { clock, logger, store, configuration, applier, changes, nextChange } = await start(t);
  const edit = () => ({ rest: { basicAuthenticationEnabled: true } });
  await applier.change({ basis: undefined, edit, isDryRun: false }, 10);
  store.database.exec('PRAGMA query_only = 1');
  clock.advance(10_000);
  await setImmediate();
  assert.ok(logger.lines.some(({ event }) => event === 'configuration.notReverted'));
  assert.equal(configuration.current().rest.basicAuthenticationEnabled, true);

  store.database.exec('PRAGMA query_only = 0');
  const changed = nextChange();
  clock.advance(60_000);
  await changed;
  assert.equal(configuration.current().rest.basicAuthenticationEnabled, false);
  assert.deepEqual(changes, [1, 2]);
});

test('a change is not taken back in place of an earlier one that somebody else has just taken back', async (t) => {
  const { configuration, applier } = await start(t);
  const change = (text: string) => {
    const banner = { enabled: true, message: text };
    const edit = () => ({ banners: { preLogin: banner } });
    return applier.change({ basis: undefined, edit, isDryRun: false }, 600);
  };
  const { snapshotId } = await change('first');
  const outcomes = await Promise.allSettled([
    applier.revertPending(snapshotId),
    change('second'),
    // It still waits when this is asked for, and no longer when its turn comes.
    applier.revertPending(snapshotId),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
  assert.equal(configuration.findUnconfirmed()?.snapshotId, 3);
  await assert.rejects(applier.revertPending(snapshotId), { code: 'CONFIRMATION_OF_ANOTHER' });
  assert.throws(() => applier.confirm(snapshotId), { code: 'CONFIRMATION_OF_ANOTHER' });
  applier.confirm(3);
  await assert.rejects(applier.revertPending(3), { code: 'CONFIRMATION_NOT_PENDING' });
});

test('onPlantApplied is called each time that the plant was applied', async (t) => {
  const { applier, changes, countApplied } = await start(t);
  assert.deepEqual([countApplied(), changes.length], [1, 0]);
  const edit = () => ({ rest: { basicAuthenticationEnabled: true } });
  await applier.change({ basis: undefined, edit, isDryRun: true }, undefined);
  assert.equal(countApplied(), 1);
  await applier.change({ basis: undefined, edit, isDryRun: false }, undefined);
  assert.deepEqual([countApplied(), changes.length], [2, 1]);
});
