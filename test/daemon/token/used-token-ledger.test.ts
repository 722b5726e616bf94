import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { openStore } from '../../../daemon/base/store.ts';
import { createMemoryUsedTokenLedger } from '../../../daemon/token/memory-used-token-ledger.ts';
import {
  createSqliteUsedTokenLedger,
  tokenMigrations,
} from '../../../daemon/token/sqlite-used-token-ledger.ts';
import { createSwitchedUsedTokenLedger } from '../../../daemon/token/switched-used-token-ledger.ts';
import { estimateBytes, MAXIMUM_LEDGER_BYTES } from '../../../daemon/token/used-token-ledger.ts';
import { testUsedTokenLedger } from '../../contract/used-token-ledger-contract.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const openMemoryStore = () => openStore(':memory:', [tokenMigrations]);
const retentionSeconds = () => 300;

testUsedTokenLedger('memory', createMemoryUsedTokenLedger);
testUsedTokenLedger('sqlite', (setting) =>
  createSqliteUsedTokenLedger({ ...setting, store: openMemoryStore() }),
);
testUsedTokenLedger('switched', (setting) =>
  createSwitchedUsedTokenLedger({
    memory: createMemoryUsedTokenLedger(setting),
    persistent: createSqliteUsedTokenLedger({ ...setting, store: openMemoryStore() }),
    isPersistent: () => false,
  }),
);

test('marks on disk outlive the process', (t) => {
  const file = path.join(createTemporaryDirectory(t), 'penstock.db');
  const clock = new ManualClock(0);
  const before = openStore(file, [tokenMigrations]);
  createSqliteUsedTokenLedger({ store: before, clock, retentionSeconds }).claim('penstock', 'a', 900);
  before.close();
  const after = openStore(file, [tokenMigrations]);
  t.after(() => after.close());
  const ledger = createSqliteUsedTokenLedger({ store: after, clock, retentionSeconds });
  assert.equal(ledger.claim('penstock', 'a', 900), false);
});

test('a store that cannot be written is temporarily unavailable, and the token is not marked', () => {
  const store = openMemoryStore();
  const ledger = createSqliteUsedTokenLedger({ store, clock: new ManualClock(0), retentionSeconds });
  store.database.exec('PRAGMA query_only = ON');
  assert.throws(() => ledger.claim('penstock', 'a', 900), {
    name: 'Unavailable',
    code: 'TOKEN_LEDGER_UNAVAILABLE',
  });
  store.database.exec('PRAGMA query_only = OFF');
  assert.equal(ledger.claim('penstock', 'a', 900), true);
});

test('a token used before the setting changed stays used after it, either way', () => {
  const clock = new ManualClock(0);
  let isPersistent = false;
  const ledger = createSwitchedUsedTokenLedger({
    memory: createMemoryUsedTokenLedger({ clock, retentionSeconds }),
    persistent: createSqliteUsedTokenLedger({ store: openMemoryStore(), clock, retentionSeconds }),
    isPersistent: () => isPersistent,
  });
  assert.ok(ledger.claim('penstock', 'a', 900));
  isPersistent = true;
  assert.equal(ledger.claim('penstock', 'a', 900), false);
  assert.ok(ledger.claim('penstock', 'b', 900));
  isPersistent = false;
  assert.equal(ledger.claim('penstock', 'b', 900), false);
});

test('of a million used tokens the ledger in memory takes what fits into 64 MiB and refuses the rest', () => {
  const ledger = createMemoryUsedTokenLedger({ clock: new ManualClock(0), retentionSeconds });
  const identifier = (index: number) => index.toString().padStart(36, '0');
  const room = Math.floor(MAXIMUM_LEDGER_BYTES / estimateBytes('penstock', identifier(0)));
  assert.ok(room < 1_000_000);
  for (let index = 0; index < room; index += 1) ledger.claim('penstock', identifier(index), 900);
  assert.throws(() => ledger.claim('penstock', identifier(room), 900), { code: 'TOKEN_LEDGER_FULL' });
  assert.equal(ledger.claim('penstock', identifier(0), 900), false);
});
