import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { openStore } from '../../../daemon/base/store/store.ts';
import { ConfigurationStore } from '../../../daemon/configuration/store/configuration-store.ts';
import type { ConfigurationChange } from '../../../daemon/configuration/store/configuration-change.ts';
import { DocumentError } from '../../../daemon/base/document-error.ts';
import { SECRET_MARKER } from '../../../daemon/configuration/store/secrets.ts';
import {
  configurationMigrations,
  SnapshotStore,
} from '../../../daemon/configuration/store/snapshot-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createMemoryLogger } from '../../support/memory-logger.ts';
import { FACTORIES, PLANT } from './plant-fixture.ts';

const LINE = { pid: 'line1', type: 'bench', host: 'a', password: 'canary-password' };
const FOR_GOOD = { basis: undefined, isDryRun: false, needsConfirmation: false };

async function createService(t: TestContext) {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const snapshots = new SnapshotStore(store, new ManualClock());
  const service = new ConfigurationStore({
    snapshots,
    factories: () => FACTORIES,
    createMissingIdentity: () => Promise.resolve(false),
    logger: createMemoryLogger(),
    clock: new ManualClock(),
  });
  await service.provision([]);
  const put = (document: unknown, how: Partial<ConfigurationChange> = {}) =>
    service.change({ ...FOR_GOOD, ...how, edit: () => document });
  return { service, snapshots, put };
}

test('a secret is kept by its marker and never shown, not even in snapshots and errors', async (t) => {
  const { service, snapshots, put } = await createService(t);
  await put({ drivers: [LINE] });
  const shown = (await service.show()).document;
  assert.deepEqual(shown, { drivers: [{ ...LINE, password: SECRET_MARKER }] });
  await put({ drivers: [{ ...LINE, callDeadlineMs: 500, password: SECRET_MARKER }] });
  assert.deepEqual(snapshots.findNewest()?.document, { drivers: [{ ...LINE, callDeadlineMs: 500 }] });
  assert.ok(!JSON.stringify(await service.showSnapshot(1)).includes('canary'));
  const faulty = put({ drivers: [{ ...LINE, port: 0 }] });
  await assert.rejects(
    faulty,
    (error: DocumentError) => !JSON.stringify([error.detail, error.faults]).includes('canary'),
  );
});

test('a marker where no secret is set is an error', async (t) => {
  const { put } = await createService(t);
  await assert.rejects(put({ drivers: [{ ...LINE, password: SECRET_MARKER }] }), (error) => {
    assert.ok(error instanceof DocumentError);
    assert.deepEqual(error.faults[0]?.path, ['drivers', 0, 'password']);
    return true;
  });
});

test('of concurrent changes based on the same snapshot, one wins', async (t) => {
  const { service, put } = await createService(t);
  const attempts = ['a', 'b', 'c'].map((host) => put({ drivers: [{ ...LINE, host }] }, { basis: 0 }));
  const outcomes = await Promise.allSettled(attempts);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  );
  assert.equal((await service.show()).id, 1);
});

test('an unconfirmed change is in force until it is reverted', async (t) => {
  const { service, put } = await createService(t);
  await put(PLANT);
  await put({}, { needsConfirmation: true });
  assert.equal(service.current().plant.drivers.length, 0);
  await assert.rejects(put(PLANT), { name: 'Conflict', code: 'CONFIRMATION_PENDING' });
  assert.equal((await service.revertUnconfirmed())?.snapshotId, 3);
  assert.equal(service.current().plant.drivers.length, 1);
  assert.equal(await service.revertUnconfirmed(), undefined);
  assert.throws(() => service.confirm(), { name: 'Conflict', code: 'CONFIRMATION_NOT_PENDING' });
});

test('a change is confirmed or reverted only when it is the one that is meant', async (t) => {
  const { service, put } = await createService(t);
  await put(PLANT);
  await put({}, { needsConfirmation: true });
  assert.throws(() => service.confirm(1), { name: 'Conflict', code: 'CONFIRMATION_OF_ANOTHER' });
  assert.equal(await service.revertUnconfirmed(1), undefined);
  assert.equal(service.findUnconfirmed()?.snapshotId, 2);
  assert.equal((await service.revertUnconfirmed(2))?.snapshotId, 3);
  await put({}, { needsConfirmation: true });
  service.confirm(4);
  assert.equal(service.findUnconfirmed(), undefined);
});

test('a change without effect creates no snapshot', async (t) => {
  const { service, put } = await createService(t);
  await put(PLANT);
  assert.deepEqual(await put(PLANT), {
    snapshotId: 1,
    plan: { added: [], changed: [], removed: [], restartedConnections: [], cutsOff: [] },
    isSaved: false,
    changes: { changes: [], omitted: 0 },
  });
  assert.equal(service.listSnapshots().length, 1);
});

test('a document that is not an object, or contains numbers that cannot be stored, is refused', async (t) => {
  const { put } = await createService(t);
  const huge = { drivers: [{ ...LINE, port: 10n ** 20n }] };
  for (const document of [null, [], 'text', 1, true, huge, { drivers: {} }, { assets: [null] }]) {
    await assert.rejects(put(document), { code: 'CONFIGURATION_INVALID' });
  }
});
