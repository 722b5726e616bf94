import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { openStore } from '../../../../daemon/base/store/store.ts';
import type { Store } from '../../../../daemon/base/store/store.ts';
import { StoreFailure } from '../../../../daemon/base/store/transaction.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const ROOM = { module: 'notes', steps: ['CREATE TABLE note (text TEXT NOT NULL) STRICT'] };

function open(t: TestContext): Store {
  const store = openStore(path.join(createTemporaryDirectory(t), 'store.db'), [ROOM]);
  t.after(() => store.close());
  return store;
}

function write(store: Store, text: string): void {
  store.transaction(() => store.database.prepare('INSERT INTO note VALUES (?)').run(text));
}

const list = ({ database }: Store): readonly unknown[] =>
  database
    .prepare('SELECT text FROM note')
    .all()
    .map(({ text }) => text);

test('a change that finds no room throws STORE_FULL, and the store continues to work', (t) => {
  const store = open(t);
  store.database.exec('PRAGMA max_page_count = 8');
  assert.throws(
    () => write(store, 'x'.repeat(100_000)),
    (error) =>
      error instanceof StoreFailure && error.code === 'STORE_FULL' && /free space/.test(error.detail),
  );
  assert.deepEqual(list(store), []);
  write(store, 'short');
  assert.deepEqual(list(store), ['short']);
});

test('a change on a read-only disk throws STORE_FAILED, and later ones succeed', (t) => {
  const store = open(t);
  store.database.exec('PRAGMA query_only = 1');
  assert.throws(
    () => write(store, 'refused'),
    (error) => error instanceof StoreFailure && error.code === 'STORE_FAILED',
  );
  store.database.exec('PRAGMA query_only = 0');
  write(store, 'later');
  assert.deepEqual(list(store), ['later']);
});

test('an error of the work itself is thrown unchanged', (t) => {
  const store = open(t);
  const error = new RangeError('mine');
  assert.throws(
    () =>
      store.transaction(() => {
        throw error;
      }),
    error,
  );
  assert.throws(
    () => store.transaction(() => store.database.exec('INSERT INTO note VALUES (NULL)')),
    (thrown) => !(thrown instanceof StoreFailure),
  );
});
