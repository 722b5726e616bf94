import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore } from '../../../../daemon/base/store/store.ts';
import { ConfigurationStore } from '../../../../daemon/configuration/store/configuration-store.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../../daemon/configuration/store/snapshot-store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createSource, FACTORIES } from '../plant-fixture.ts';

test('others have their turn while many identities are created', async (t) => {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const clock = new ManualClock();
  let created = 0;
  const createdAtTurns: number[] = [];
  const counting = {
    monotonicMs: () => clock.monotonicMs(),
    nextTurn: () => {
      createdAtTurns.push(created);
      return clock.nextTurn();
    },
  };
  const configuration = new ConfigurationStore({
    snapshots: new SnapshotStore(store, clock),
    factories: () => FACTORIES,
    createMissingIdentity: () => {
      clock.advance(1);
      created += 1;
      return Promise.resolve(true);
    },
    logger: createMemoryLogger(),
    clock: counting,
  });
  const names = Array.from({ length: 100 }, (_, index) => `  - {name: user${index}}\n`);
  await configuration.provision([createSource('users.yaml', `identities:\n${names.join('')}`)]);
  assert.deepEqual(
    createdAtTurns,
    Array.from({ length: 10 }, (_, index) => 10 * (index + 1)),
  );
});
