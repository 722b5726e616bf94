import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { openStore } from '../../../../../daemon/base/store/store.ts';
import type { Store } from '../../../../../daemon/base/store/store.ts';
import {
  CodeDelay,
  FREE_WRONG_CODES,
  MAXIMUM_CODE_DELAY_SECONDS,
} from '../../../../../daemon/security/identity/second-factor/code-delay.ts';
import {
  SqliteIdentityStore,
  identityMigrations,
} from '../../../../../daemon/security/identity/sqlite-identity-store.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';

const DAY_MS = 24 * 3_600_000;

function openWithIdentity(file = ':memory:', clock = new ManualClock()): { store: Store; id: string } {
  const store = openStore(file, [identityMigrations]);
  const identities = new SqliteIdentityStore(store, clock);
  const { id } =
    identities.find('anna') ??
    identities.create({
      name: 'anna',
      permissions: [],
      passwordHash: undefined,
      passwordChangeNeeded: false,
    });
  return { store, id };
}

test('a restart gives no further attempts: the delay goes on, and the next wrong code doubles it', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'penstock.db');
  const clock = new ManualClock();
  const first = openWithIdentity(file, clock);
  const before = new CodeDelay(first.store, clock);
  for (let count = 0; count < FREE_WRONG_CODES + 3; count += 1) before.countWrong(first.id);
  assert.equal(before.secondsLeft(first.id), 8);
  first.store.close();

  // The other clock restarts with each boot of the machine.
  const next = new ManualClock(50_000);
  next.setEpoch(clock.epochMs() + 3000);
  const second = openWithIdentity(file, next);
  const after = new CodeDelay(second.store, next);
  assert.equal(after.secondsLeft(second.id), 5);
  assert.equal(after.countWrong(second.id), 16);
  second.store.close();
});

test('after a restart with a clock that is behind, the delay is the whole one and no longer', () => {
  const clock = new ManualClock();
  const { store, id } = openWithIdentity(':memory:', clock);
  const before = new CodeDelay(store, clock);
  for (let count = 0; count < FREE_WRONG_CODES + 20; count += 1) before.countWrong(id);
  clock.setEpoch(0);
  assert.equal(new CodeDelay(store, clock).secondsLeft(id), MAXIMUM_CODE_DELAY_SECONDS);
});

test('a right code, the end of the identity and a day without a wrong one forget them on disk as well', () => {
  const clock = new ManualClock();
  const { store, id } = openWithIdentity(':memory:', clock);
  const identities = new SqliteIdentityStore(store, clock);
  const other = identities.create({
    name: 'bert',
    permissions: [],
    passwordHash: undefined,
    passwordChangeNeeded: false,
  });
  const count = (): number => store.database.prepare('SELECT * FROM wrong_code').all().length;
  const delay = new CodeDelay(store, clock);
  delay.countWrong(id);
  delay.clear(id);
  assert.equal(count(), 0);
  delay.countWrong(id);
  clock.advance(DAY_MS);
  delay.countWrong(other.id);
  assert.equal(count(), 1);
  identities.remove('bert');
  assert.equal(count(), 0);
});
