import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openStore } from '../../../daemon/base/store/store.ts';
import { createProvisionPruner } from '../../../daemon/compose/provision-pruner.ts';
import { ConfigurationStore } from '../../../daemon/configuration/store/configuration-store.ts';
import { ProvisionDrift } from '../../../daemon/configuration/provision/provision-drift.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../daemon/configuration/store/snapshot-store.ts';
import { IdentityAdministration } from '../../../daemon/security/identity/identity-administration.ts';
import {
  identityMigrations,
  SqliteIdentityStore,
} from '../../../daemon/security/identity/sqlite-identity-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { createSource, FACTORIES } from '../configuration/plant-fixture.ts';

test('a prune that is cut off before the identities is completed by the next one', async (t) => {
  const store = openStore(':memory:', [identityMigrations, configurationMigrations]);
  t.after(() => store.close());
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const snapshots = new SnapshotStore(store, clock);
  const identities = new SqliteIdentityStore(store, clock);
  const configuration = new ConfigurationStore({
    snapshots,
    factories: () => FACTORIES,
    createMissingIdentity: async ({ name, permissions }) => {
      identities.create({ name, permissions, passwordChangeNeeded: false });
      return true;
    },
    identities,
    logger,
    clock,
  });
  await configuration.provision([
    createSource(
      'a',
      'drivers: [{pid: line1, type: bench, host: 192.0.2.7}]\nidentities: [{name: panel}, {name: scada}]\n',
    ),
  ]);
  await configuration.provision([]);
  const caller = {
    identity: identities.create({ name: 'chief', permissions: ['rest.admin'], passwordChangeNeeded: false }),
    method: 'certificate',
  } as const;
  const cuts = [new Error('the power failed')];
  const administration = new IdentityAdministration({
    identities,
    hasher: { hash: () => Promise.resolve('') },
    strength: () => configuration.current().passwordStrength,
    endSessions() {
      const cut = cuts.pop();
      if (cut !== undefined) throw cut;
    },
    removeInitialPassword: () => Promise.resolve(),
    logger,
  });
  const drift = new ProvisionDrift({
    snapshots,
    identities,
    describe: () => configuration.describe(),
    clock,
  });
  const events: unknown[] = [];
  const prune = createProvisionPruner({
    drift,
    applier: { change: (change) => configuration.change({ ...change, needsConfirmation: false }) },
    administration,
    audit: { record: ({ event, target }) => events.push([event, target]) },
  });
  const request = { caller, basis: undefined, isDryRun: false, confirmWithinSeconds: undefined };

  await assert.rejects(prune(request), /the power failed/);
  assert.deepEqual(configuration.current().plant.drivers, []);
  assert.deepEqual((await prune(request)).plan.removed, ['identities/scada']);
  assert.deepEqual(await drift.list(), []);
  assert.deepEqual(
    identities.list().map(({ name }) => name),
    ['chief'],
  );
  assert.deepEqual(events, [['IDENTITY_REMOVED', 'scada']]);
});
