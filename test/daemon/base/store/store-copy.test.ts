import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { STORE_COPY, createStoreCopier } from '../../../../daemon/base/store/store-copy.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import type { Store } from '../../../../daemon/base/store/store.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

const MIGRATIONS = [
  { module: 'items', steps: ['CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT) STRICT'] },
];

function openIn(t: Owner): { store: Store; directory: string; file: string } {
  const directory = createTemporaryDirectory(t);
  const store = openStore(path.join(directory, 'penstock.db'), MIGRATIONS);
  t.after(() => store.close());
  return { store, directory, file: path.join(directory, STORE_COPY) };
}

function insert(store: Store, rows: number): void {
  const statement = store.database.prepare('INSERT INTO item (text) VALUES (?)');
  store.transaction(() => {
    for (let index = 0; index < rows; index += 1) statement.run('x'.repeat(500));
  });
}

function count(file: string): unknown {
  const database = new DatabaseSync(file);
  try {
    assert.deepEqual({ ...database.prepare('PRAGMA quick_check').get() }, { quick_check: 'ok' });
    return database.prepare('SELECT count(*) AS rows FROM item').get()?.['rows'];
  } finally {
    database.close();
  }
}

test('copy has every change until then, also those that are only in the log, for the owner alone', async (t) => {
  const { store, directory, file } = openIn(t);
  insert(store, 10);
  await createStoreCopier(store.database, directory).copy();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(count(file), 10);
});

test('copy has a change that is made meanwhile as a whole or not at all', async (t) => {
  const { store, directory, file } = openIn(t);
  insert(store, 5000);
  const copied = createStoreCopier(store.database, directory).copy();
  insert(store, 1000);
  await copied;
  assert.ok([5000, 6000].includes(Number(count(file))));
});

test('copies that are asked for at once are made in turn, and leave one file', async (t) => {
  const { store, directory, file } = openIn(t);
  insert(store, 500);
  const copier = createStoreCopier(store.database, directory);
  await Promise.all([copier.copy(), copier.copy(), copier.copy()]);
  assert.equal(count(file), 500);
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('copy fails with STORE_FAILED where nothing can be written, and works again afterwards', async (t) => {
  const { store, directory, file } = openIn(t);
  insert(store, 10);
  const copier = createStoreCopier(store.database, path.join(directory, 'missing'));
  await assert.rejects(copier.copy(), { code: 'STORE_FAILED' });
  await createStoreCopier(store.database, directory).copy();
  assert.equal(count(file), 10);
});
