import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { openStore, StoreError } from '../../../../daemon/base/store/store.ts';
import {
  configurationMigrations,
  KEPT_SNAPSHOTS,
  SnapshotStore,
} from '../../../../daemon/configuration/store/snapshot-store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function createSnapshots(t: TestContext) {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const clock = new ManualClock(1_000);
  return { store, clock, snapshots: new SnapshotStore(store, clock) };
}

test('findNewest returns nothing before the first snapshot', (t) => {
  assert.equal(createSnapshots(t).snapshots.findNewest(), undefined);
});

test('snapshots are numbered, dated and found by number, and the newest is in force', (t) => {
  const { snapshots, clock } = createSnapshots(t);
  snapshots.save({ rest: { allowedPorts: [1] } });
  clock.advance(5);
  const second = snapshots.save({ assets: [] });
  assert.deepEqual(second, { id: 2, createdAtMs: 1_005, document: { assets: [] }, templates: {} });
  assert.deepEqual(snapshots.findNewest(), second);
  assert.deepEqual(snapshots.find(1)?.document, { rest: { allowedPorts: [1] } });
  assert.deepEqual(snapshots.list(), [
    { id: 2, createdAtMs: 1_005 },
    { id: 1, createdAtMs: 1_000 },
  ]);
});

test('a snapshot has the name of who made it, and none where nobody did', (t) => {
  const { snapshots } = createSnapshots(t);
  snapshots.save({}, {}, 'engineer');
  const unconfirmed = snapshots.saveUnconfirmed({ assets: [] }, {}, 'chief');
  assert.equal(unconfirmed.author, 'chief');
  snapshots.revertUnconfirmed({ document: {}, templates: {} });
  assert.deepEqual(
    snapshots.list().map(({ author }) => author),
    [undefined, 'chief', 'engineer'],
  );
  assert.equal(snapshots.find(1)?.author, 'engineer');
});

test('the last 100 snapshots are kept and no number is used twice', (t) => {
  const { snapshots } = createSnapshots(t);
  for (let count = 0; count < KEPT_SNAPSHOTS + 7; count += 1) snapshots.save({ count });
  const ids = snapshots.list().map(({ id }) => id);
  assert.equal(ids.length, 100);
  assert.deepEqual([ids[0], ids.at(-1)], [107, 8]);
  assert.equal(snapshots.find(7), undefined);
});

test('saveProvision keeps document and digests and forgets sources that are not named', (t) => {
  const { snapshots } = createSnapshots(t);
  const digests = new Map([
    ['a', '1'],
    ['b', '2'],
  ]);
  assert.equal(snapshots.saveProvision({ document: { x: 1 }, digests })?.id, 1);
  assert.deepEqual(snapshots.readDigests(), digests);
  assert.equal(snapshots.saveProvision({ digests: new Map([['b', '3']]) }), undefined);
  assert.deepEqual(snapshots.readDigests(), new Map([['b', '3']]));
  assert.deepEqual(snapshots.findNewest()?.document, { x: 1 });
});

test('saveProvision stores neither document nor digests when one of them cannot be stored', (t) => {
  const { store, snapshots } = createSnapshots(t);
  snapshots.saveProvision({ document: { x: 1 }, digests: new Map([['a', '1']]) });
  store.database.exec(
    `CREATE TRIGGER refuse BEFORE INSERT ON configuration_snapshot BEGIN SELECT RAISE(ABORT, 'full'); END`,
  );
  assert.throws(() => snapshots.saveProvision({ document: { x: 2 }, digests: new Map([['a', '2']]) }));
  assert.deepEqual(snapshots.readDigests(), new Map([['a', '1']]));
  assert.deepEqual(snapshots.findNewest()?.document, { x: 1 });
});

test('a snapshot with a part that is missing or no JSON object any more is refused by its number', (t) => {
  const { store, clock, snapshots } = createSnapshots(t);
  snapshots.save({ rest: {} });
  const damages = [
    ...[`{"dri`, '5', 'null', '[]'].map((text) => `UPDATE configuration_part SET content = '${text}'`),
    'UPDATE configuration_snapshot SET parts = \'{"sections":{"rest":"1"}}\'',
    'DELETE FROM configuration_part',
    // Of an earlier release.
    ...[`{"dri`, '5', 'null', '[]'].map(
      (text) => `UPDATE configuration_snapshot SET parts = NULL, document = '${text}'`,
    ),
  ];
  for (const damage of damages) {
    store.database.exec(damage);
    assert.throws(
      () => new SnapshotStore(store, clock).findNewest(),
      (error) =>
        error instanceof StoreError && error.code === 'STORE_DAMAGED' && /snapshot 1 /.test(error.detail),
      damage,
    );
  }
});

test('what was saved is what another start reads, and is not read again by this one', (t) => {
  const { store, clock, snapshots } = createSnapshots(t);
  const document = { rest: { allowedPorts: [1] }, assets: [] };
  for (const save of ['save', 'saveUnconfirmed'] as const) {
    const { id } = snapshots[save](document);
    assert.equal(snapshots.find(id)?.document, document);
    const other = new SnapshotStore(store, clock);
    assert.deepEqual(other.find(id)?.document, document);
    assert.notEqual(other.find(id)?.document, document);
    assert.equal(other.find(id)?.document, other.findNewest()?.document);
  }
});

test('a document that was not stored is not taken for the next one, which gets its number', (t) => {
  const { store, snapshots } = createSnapshots(t);
  snapshots.save({ assets: [] });
  store.database.exec(
    `CREATE TRIGGER full BEFORE INSERT ON configuration_trial BEGIN SELECT RAISE(ABORT, 'full'); END`,
  );
  assert.throws(() => snapshots.saveUnconfirmed({ drivers: [] }), /full/);
  assert.deepEqual(snapshots.findNewest()?.document, { assets: [] });
  store.database.exec(
    `INSERT INTO configuration_snapshot (created_at_ms, document) VALUES (1, '{"rest":{}}')`,
  );
  assert.equal(snapshots.findNewestId(), 2);
  assert.deepEqual(snapshots.findNewest()?.document, { rest: {} });
});

test('the head of a snapshot is found without its document', (t) => {
  const { store, snapshots } = createSnapshots(t);
  snapshots.save({}, {}, 'engineer');
  store.database.exec(`UPDATE configuration_snapshot SET parts = 'none'`);
  assert.deepEqual(snapshots.findHead(1), { id: 1, createdAtMs: 1_000, author: 'engineer' });
  assert.equal(snapshots.findHead(2), undefined);
});
