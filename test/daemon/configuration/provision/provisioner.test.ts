import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../../daemon/base/slices.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { recordOrigins } from '../../../../daemon/configuration/provision/provision-origins.ts';
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
    spareTurn: () => {
      createdAtTurns.push(created);
      return clock.spareTurn();
    },
  };
  const configuration = new ConfigurationStore({
    snapshots: new SnapshotStore(store, clock),
    factories: () => FACTORIES,
    createMissingIdentity: () => {
      clock.advance(0.25);
      created += 1;
      return Promise.resolve(true);
    },
    logger: createMemoryLogger(),
    clock: counting,
  });
  const names = Array.from({ length: 80 }, (_, index) => `  - {name: user${index}}\n`);
  await configuration.provision([createSource('users.yaml', `identities:\n${names.join('')}`)]);
  assert.deepEqual(
    createdAtTurns,
    Array.from({ length: 20 }, (_, index) => 4 * (index + 1)),
  );
});

test('after a merge, only the origins of what has changed are stored again', (t) => {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const { origins } = new SnapshotStore(store, new ManualClock());
  const merge = (hosts: readonly string[]) => {
    const drivers = hosts.map((host, index) => ({ pid: `line${index}`, type: 'bench', host }));
    const former = origins.read();
    const recording = recordOrigins({
      former,
      isFirst: former.length === 0,
      sources: [createSource('plant.yaml', JSON.stringify({ drivers }))],
      document: { drivers },
      identities: { find: () => undefined, list: () => [] },
    });
    const steps = origins.prepare(finish(recording), former);
    const prepared = finish(steps);
    origins.replace(prepared);
    return { changed: prepared.changed.map(([part]) => part), absent: prepared.absent };
  };
  const [first, second, third] = [0, 1, 2].map((index) => JSON.stringify(['drivers', `line${index}`]));
  assert.deepEqual(merge(['a', 'b', 'c']), { changed: [first, second, third], absent: [] });
  assert.deepEqual(merge(['a', 'b', 'c']), { changed: [], absent: [] });
  assert.deepEqual(merge(['a', 'x']), { changed: [second], absent: [third] });
  assert.deepEqual(
    origins.read().map(({ part, content }) => [part[1], (content as { readonly host: string }).host]),
    [
      ['line0', 'a'],
      ['line1', 'x'],
    ],
  );
});
