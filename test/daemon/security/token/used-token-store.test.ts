import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { openStore } from '../../../../daemon/base/store/store.ts';
import { MemoryUsedTokenStore } from '../../../../daemon/security/token/memory-used-token-store.ts';
import {
  SqliteUsedTokenStore,
  tokenMigrations,
} from '../../../../daemon/security/token/sqlite-used-token-store.ts';
import {
  estimateBytes,
  MAXIMUM_USED_TOKEN_BYTES,
  createCombinedUsedTokenStore,
} from '../../../../daemon/security/token/used-token-store.ts';
import { testUsedTokenStore } from '../../../contract/used-token-store-contract.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const openMemoryStore = () => openStore(':memory:', [tokenMigrations]);
const retentionSeconds = () => 300;
const token = (jti: string, sub = 'scada') => ({ iss: 'penstock', jti, sub, exp: 900 });

testUsedTokenStore('memory', (setting) => new MemoryUsedTokenStore(setting));
testUsedTokenStore('sqlite', (setting) => new SqliteUsedTokenStore({ ...setting, store: openMemoryStore() }));
testUsedTokenStore('switched', (setting) =>
  createCombinedUsedTokenStore({
    memory: new MemoryUsedTokenStore(setting),
    persistent: new SqliteUsedTokenStore({ ...setting, store: openMemoryStore() }),
    isPersistent: () => false,
  }),
);

test('marks on disk outlive the process', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'penstock.db');
  const clock = new ManualClock(0);
  const before = openStore(file, [tokenMigrations]);
  new SqliteUsedTokenStore({ store: before, clock, retentionSeconds }).claim(token('a'));
  before.close();
  const after = openStore(file, [tokenMigrations]);
  t.after(() => after.close());
  const ledger = new SqliteUsedTokenStore({ store: after, clock, retentionSeconds });
  assert.equal(ledger.claim(token('a')), false);
});

test('a store that cannot be written is temporarily unavailable, and the token is not marked', () => {
  const store = openMemoryStore();
  const ledger = new SqliteUsedTokenStore({ store, clock: new ManualClock(0), retentionSeconds });
  store.database.exec('PRAGMA query_only = ON');
  assert.throws(() => ledger.claim(token('a')), {
    name: 'Unavailable',
    code: 'TOKEN_LEDGER_UNAVAILABLE',
  });
  store.database.exec('PRAGMA query_only = OFF');
  assert.equal(ledger.claim(token('a')), true);
});

test('a token used before a change of the setting stays used after it, in both directions', () => {
  const clock = new ManualClock(0);
  let isPersistent = false;
  const ledger = createCombinedUsedTokenStore({
    memory: new MemoryUsedTokenStore({ clock, retentionSeconds }),
    persistent: new SqliteUsedTokenStore({ store: openMemoryStore(), clock, retentionSeconds }),
    isPersistent: () => isPersistent,
  });
  assert.ok(ledger.claim(token('a')));
  isPersistent = true;
  assert.equal(ledger.claim(token('a')), false);
  assert.ok(ledger.claim(token('b')));
  isPersistent = false;
  assert.equal(ledger.claim(token('b')), false);
});

test('the shares of identities are restored after a restart', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'penstock.db');
  const clock = new ManualClock(0);
  const maximumBytes = 8 * 3 * estimateBytes('penstock', 'a');
  const before = openStore(file, [tokenMigrations]);
  const first = new SqliteUsedTokenStore({ store: before, clock, retentionSeconds, maximumBytes });
  for (const jti of ['a', 'b', 'c']) first.claim(token(jti, 'mallory'));
  before.close();
  const after = openStore(file, [tokenMigrations]);
  t.after(() => after.close());
  const ledger = new SqliteUsedTokenStore({ store: after, clock, retentionSeconds, maximumBytes });
  assert.throws(() => ledger.claim(token('d', 'mallory')), { code: 'TOKEN_LEDGER_FULL' });
  assert.ok(ledger.claim(token('d', 'scada')));
});

test('marks that an earlier release stored remain and count for no identity', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'penstock.db');
  const earlier = openStore(file, [{ module: 'token', steps: tokenMigrations.steps.slice(0, 1) }]);
  earlier.database.exec(`INSERT INTO used_token VALUES ('penstock', 'a', 900, 200)`);
  earlier.close();
  const store = openStore(file, [tokenMigrations]);
  t.after(() => store.close());
  const maximumBytes = 8 * estimateBytes('penstock', 'b');
  const clock = new ManualClock(0);
  const ledger = new SqliteUsedTokenStore({ store, clock, retentionSeconds, maximumBytes });
  assert.equal(ledger.claim(token('a')), false);
  assert.ok(ledger.claim(token('b')));
  assert.throws(() => ledger.claim(token('c')), { code: 'TOKEN_LEDGER_FULL' });
});

test('after a million used tokens of one identity the ledger in memory fills an eighth of 64 MiB and refuses the rest', () => {
  const ledger = new MemoryUsedTokenStore({ clock: new ManualClock(0), retentionSeconds });
  const identifier = (index: number) => index.toString().padStart(36, '0');
  const room = Math.floor(MAXIMUM_USED_TOKEN_BYTES / 8 / estimateBytes('penstock', identifier(0)));
  assert.ok(room < 1_000_000);
  for (let index = 0; index < room; index += 1) ledger.claim(token(identifier(index)));
  assert.throws(() => ledger.claim(token(identifier(room))), { code: 'TOKEN_LEDGER_FULL' });
  assert.equal(ledger.claim(token(identifier(0))), false);
  assert.ok(ledger.claim(token(identifier(room), 'another')));
});
