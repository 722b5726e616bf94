import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { openStore } from '../../../../daemon/base/store/store.ts';
import {
  SqliteIdentityStore,
  identityMigrations,
} from '../../../../daemon/security/identity/sqlite-identity-store.ts';
import { testIdentityStore } from '../../../contract/identity-store-contract.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createIdentities } from './identity-fixture.ts';

const scada = {
  name: 'scada',
  permissions: ['rest.assets', 'rest.deploy'],
  passwordHash: '$hash',
  passwordChangeNeeded: true,
};

testIdentityStore('SqliteIdentityStore', () => createIdentities());

test('SqliteIdentityStore restores everything after a restart', (t) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'identities-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'penstock.db');
  const clock = new ManualClock();
  const before = openStore(file, [identityMigrations]);
  const identities = new SqliteIdentityStore(before, clock);
  for (const name of ['zeta', 'alpha']) identities.create({ ...scada, name, permissions: [] });
  identities.create(scada);
  identities.setPassword('zeta', undefined, { changeNeeded: false });
  identities.remove('alpha');
  identities.create({ ...scada, name: 'alpha' });
  identities.change('alpha', { grants: [{ assets: ['line1-*'], operations: ['READ'], reason: 'permit' }] });
  identities.revokeTokens('scada');
  identities.change('alpha', { secondFactorRequired: true });
  const factor = { secret: new Uint8Array(20).fill(7), usedSteps: [5, 6], recoveryDigests: ['a', 'b'] };
  identities.setSecondFactor('zeta', { ...factor, usedSteps: [5] });
  identities.updateSecondFactor('zeta', factor);
  const expected = identities.list();
  before.close();

  const after = openStore(file, [identityMigrations]);
  t.after(() => after.close());
  const restored = new SqliteIdentityStore(after, clock);
  assert.deepEqual(restored.list(), expected);
  assert.deepEqual(restored.findSecondFactor('zeta'), factor);
});

test('SqliteIdentityStore keeps its memory when a change does not reach the disk', () => {
  const store = openStore(':memory:', [identityMigrations]);
  const identities = new SqliteIdentityStore(store, new ManualClock());
  const before = identities.create(scada);
  store.close();
  assert.throws(() => identities.setPermissions('scada', []));
  assert.throws(() => identities.remove('scada'));
  assert.throws(() => identities.create({ ...scada, name: 'historian' }));
  assert.deepEqual(identities.list(), [before]);
});

test('SqliteIdentityStore takes the time of creation from the clock', () => {
  const clock = new ManualClock(1_800_000_000_000);
  assert.equal(createIdentities(clock).create(scada).createdAtMs, 1_800_000_000_000);
});

test('identities of an earlier version count as reusing their name if any was ever deleted', () => {
  const [first = ''] = identityMigrations.steps;
  for (const [isAnyDeleted, expected] of [
    [false, undefined],
    [true, true],
  ] as const) {
    const database = new DatabaseSync(':memory:');
    database.exec(first);
    const insert = database.prepare(`INSERT INTO identity VALUES (NULL, ?, ?, '', NULL, 0, 1, 0)`);
    for (const name of ['alpha', 'scada']) insert.run(name, name);
    if (isAnyDeleted) database.exec(`DELETE FROM identity WHERE name = 'alpha'`);
    for (const step of identityMigrations.steps.slice(1)) database.exec(step);
    const store = { ...openStore(':memory:', []), database };
    assert.equal(new SqliteIdentityStore(store, new ManualClock()).get('scada').isNameReused, expected);
  }
});

test('an identity of many is stored without a wait for the disk, if its creator says so', () => {
  const store = openStore(':memory:', [identityMigrations]);
  let synced = 0;
  const counting = {
    ...store,
    transaction: <T>(work: () => T): T => {
      synced += 1;
      return store.transaction(work);
    },
  };
  const identities = new SqliteIdentityStore(counting, new ManualClock());
  identities.create(scada, { isSynced: false });
  assert.equal(synced, 0);
  identities.create({ ...scada, name: 'historian' });
  assert.equal(synced, 1);
  const restored = new SqliteIdentityStore(store, new ManualClock());
  assert.deepEqual(
    restored.list().map(({ name }) => name),
    ['scada', 'historian'],
  );
});
