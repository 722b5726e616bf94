import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { openStore, StoreError } from '../../../../daemon/base/store/store.ts';
import type { Migrations, Store } from '../../../../daemon/base/store/store.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const STEPS = [
  'CREATE TABLE note (text TEXT NOT NULL) STRICT',
  `ALTER TABLE note ADD COLUMN author TEXT NOT NULL DEFAULT 'nobody'`,
];

const tables = (steps: readonly string[]): readonly Migrations[] => [{ module: 'notes', steps }];

function open(t: TestContext, file: string, steps: readonly string[]): Store {
  const store = openStore(file, tables(steps));
  t.after(() => {
    if (store.database.isOpen) store.close();
  });
  return store;
}

const createFile = (t: TestContext): string => path.join(createTemporaryDirectory(t), 'store.db');

function assertRefused(file: string, steps: readonly string[], code: string): void {
  assert.throws(
    () => openStore(file, tables(steps)),
    (error) => error instanceof StoreError && error.code === code,
  );
}

test('stored content remains after the store is opened again', (t) => {
  const file = createFile(t);
  const first = open(t, file, STEPS);
  first.database.exec(`INSERT INTO note VALUES ('kept', 'me')`);
  first.close();
  const row = open(t, file, STEPS).database.prepare('SELECT text, author FROM note').get();
  assert.deepEqual({ ...row }, { text: 'kept', author: 'me' });
});

test('a store of version 1 is brought to version 2 with its content', (t) => {
  const file = createFile(t);
  const old = open(t, file, STEPS.slice(0, 1));
  old.database.exec(`INSERT INTO note VALUES ('kept')`);
  old.close();
  const row = open(t, file, STEPS).database.prepare('SELECT text, author FROM note').get();
  assert.deepEqual({ ...row }, { text: 'kept', author: 'nobody' });
});

test('a step runs once', (t) => {
  const file = createFile(t);
  for (let round = 0; round < 3; round += 1) open(t, file, STEPS).close();
});

test('a step that fails leaves the previous version, with its content', (t) => {
  const file = createFile(t);
  const old = open(t, file, STEPS.slice(0, 1));
  old.database.exec(`INSERT INTO note VALUES ('kept')`);
  old.close();
  assert.throws(() => openStore(file, tables([...STEPS, 'DROP TABLE note; CREATE TABLE nonsense'])));
  const store = open(t, file, STEPS.slice(0, 1));
  assert.equal(store.database.prepare('SELECT text FROM note').get()?.['text'], 'kept');
});

test('modules have separate versions', (t) => {
  const file = createFile(t);
  open(t, file, STEPS).close();
  const store = openStore(file, [
    ...tables(STEPS),
    { module: 'tags', steps: ['CREATE TABLE tag (name TEXT)'] },
  ]);
  t.after(() => store.close());
  const versions = store.database.prepare('SELECT room, version FROM schema_version ORDER BY room').all();
  assert.deepEqual(
    versions.map(({ room, version }) => [room, version]),
    [
      ['notes', 2],
      ['tags', 1],
    ],
  );
});

test('a store of a later release is refused and left unchanged', (t) => {
  const file = createFile(t);
  open(t, file, STEPS).close();
  assertRefused(file, STEPS.slice(0, 1), 'STORE_TOO_NEW');
  open(t, file, STEPS);
});

test('a file that is not a database is refused', (t) => {
  const file = createFile(t);
  writeFileSync(file, 'this is a letter, not a database\n'.repeat(200));
  assertRefused(file, STEPS, 'STORE_DAMAGED');
});

test('a database whose first page is damaged is refused', (t) => {
  const file = createFile(t);
  const store = open(t, file, STEPS);
  store.close();
  writeFileSync(file, Buffer.alloc(64, 0xaa), { flag: 'r+' });
  assertRefused(file, STEPS, 'STORE_DAMAGED');
});

test('transaction returns the result of its work', (t) => {
  const store = open(t, ':memory:', STEPS);
  assert.equal(
    store.transaction(() => 42),
    42,
  );
});

test('transaction undoes everything when its work throws', (t) => {
  const store = open(t, ':memory:', STEPS);
  const failure = new Error('half way');
  assert.throws(
    () =>
      store.transaction(() => {
        store.database.exec(`INSERT INTO note (text) VALUES ('lost')`);
        throw failure;
      }),
    failure,
  );
  assert.equal(store.database.prepare('SELECT count(*) AS n FROM note').get()?.['n'], 0);
  store.transaction(() => store.database.exec(`INSERT INTO note (text) VALUES ('kept')`));
  assert.equal(store.database.prepare('SELECT count(*) AS n FROM note').get()?.['n'], 1);
});

test('every file of the store is accessible to its owner only when the umask is 000', (t) => {
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  const file = createFile(t);
  const store = open(t, file, STEPS);
  store.database.exec(`INSERT INTO note (text) VALUES ('x')`);
  const directory = path.dirname(file);
  const names = readdirSync(directory);
  assert.ok(names.includes('store.db-wal'));
  for (const name of names) assert.equal(statSync(path.join(directory, name)).mode & 0o777, 0o600, name);
});

test('a store that others could read is closed to them', (t) => {
  const file = createFile(t);
  writeFileSync(file, '', { mode: 0o644 });
  open(t, file, STEPS);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});
