import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { UnreadableSecret } from '../../../../daemon/base/key/secret-key.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import type { Store } from '../../../../daemon/base/store/store.ts';
import type { ManagedDocument } from '../../../../daemon/configuration/managed-document.ts';
import {
  configurationMigrations,
  KEPT_SNAPSHOTS,
  SnapshotStore,
} from '../../../../daemon/configuration/store/snapshot-store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createRandom } from '../../../support/random.ts';

const LINE = { pid: 'line1', type: 'bench', host: '192.0.2.7' };
const BOILER = { pid: 'boiler', driver: 'line1', channels: [{ name: 'flow' }] };
const PUMP = { pid: 'pump', driver: 'line1', channels: [{ name: 'speed' }] };
const PLANT = { rest: { allowedPorts: [1] }, drivers: [LINE], assets: [BOILER, PUMP] };
const TEMPLATES = { meter: { driver: 'bench' }, valve: { driver: 'bench' } };

function createSnapshots(t: TestContext) {
  const store = openStore(':memory:', [configurationMigrations]);
  t.after(() => store.close());
  const clock = new ManualClock(1_000);
  const restart = (): SnapshotStore => new SnapshotStore(store, clock);
  const listParts = (): readonly string[] =>
    store.database
      .prepare('SELECT content FROM configuration_part ORDER BY id')
      .all()
      .map(({ content }) => String(content));
  return { store, restart, listParts, snapshots: restart() };
}

test('a change stores the items and sections that differ, and nothing else', (t) => {
  const { snapshots, listParts, restart } = createSnapshots(t);
  snapshots.save(PLANT, TEMPLATES);
  assert.equal(listParts().length, 6);
  // Equal, and not the same objects.
  const changed = structuredClone({
    ...PLANT,
    assets: [{ ...PUMP, driver: 'line2' }, BOILER],
    recorders: [],
  });
  snapshots.save(changed, structuredClone({ ...TEMPLATES, valve: { driver: 'modbus' } }));
  assert.deepEqual(listParts().slice(6), [
    '{"assets":[{"pid":"pump","driver":"line2","channels":[{"name":"speed"}]}]}',
    '{"driver":"modbus"}',
  ]);
  const other = restart();
  assert.deepEqual(other.find(1)?.document, PLANT);
  assert.deepEqual(other.find(1)?.templates, TEMPLATES);
  assert.deepEqual(other.findNewest()?.document, changed);
  assert.deepEqual(Object.keys(other.findNewest()?.document ?? {}), Object.keys(changed));
});

test('a snapshot that is read has the objects of the newest where they are equal', (t) => {
  const { snapshots } = createSnapshots(t);
  snapshots.save(PLANT, TEMPLATES);
  const changed = { ...PLANT, drivers: [{ ...LINE, host: '192.0.2.8' }] };
  snapshots.save(changed, TEMPLATES);
  const former = snapshots.find(1);
  const document = former?.document as typeof PLANT;
  assert.deepEqual(document, PLANT);
  assert.equal(document.assets[1], PUMP);
  assert.equal(document.rest, PLANT.rest);
  assert.equal(former?.templates['valve'], TEMPLATES.valve);
  // The newest one stays at hand.
  assert.equal(snapshots.findNewest()?.document, changed);
});

test('no part outlives the snapshots that have it, and none goes before them', (t) => {
  const { store, snapshots, restart } = createSnapshots(t);
  const random = createRandom(1);
  const draw = (end: number): number => Math.floor(random() * end);
  const documents = new Map<number, ManagedDocument>();
  let document: ManagedDocument = PLANT;
  for (let count = 0; count < 3 * KEPT_SNAPSHOTS; count += 1) {
    const former = documents.get(draw(count + 1));
    const assets = Array.from({ length: draw(6) }, (_, index) => ({
      pid: `a${index}`,
      driver: draw(3),
    }));
    document = draw(5) === 0 && former !== undefined ? former : { ...document, assets };
    documents.set(snapshots.save(document).id, document);
  }
  const other = restart();
  for (const { id } of other.list()) assert.deepEqual(other.find(id)?.document, documents.get(id));
  assertNoOrphans(store);
});

test('a snapshot that an earlier release stored as a whole is read, and the next one is stored in parts', (t) => {
  const { store, snapshots, listParts, restart } = createSnapshots(t);
  store.database
    .prepare('INSERT INTO configuration_snapshot (created_at_ms, document, templates) VALUES (1, ?, ?)')
    .run(JSON.stringify(PLANT), JSON.stringify(TEMPLATES));
  const { document = {}, templates = {} } = snapshots.findNewest() ?? {};
  assert.deepEqual([document, templates], [PLANT, TEMPLATES]);
  snapshots.save({ ...document, drivers: [] }, templates);
  assert.equal(listParts().length, 5);
  const other = restart();
  assert.deepEqual(other.find(1)?.document, PLANT);
  assert.deepEqual(other.findNewest()?.document, { ...PLANT, drivers: [] });
  assert.deepEqual(other.findNewest()?.templates, TEMPLATES);
});

test('what was prepared is stored, unless something else was stored in the meantime', (t) => {
  const { snapshots, listParts, restart } = createSnapshots(t);
  finish(snapshots.prepare(PLANT, TEMPLATES));
  assert.deepEqual(listParts(), []);
  snapshots.save(PLANT, TEMPLATES);
  assert.equal(listParts().length, 6);
  const wanted = { ...PLANT, assets: [BOILER] };
  finish(snapshots.prepare(wanted, TEMPLATES));
  snapshots.save({ ...PLANT, drivers: [] }, TEMPLATES);
  snapshots.save(wanted, TEMPLATES);
  assert.deepEqual(restart().findNewest()?.document, wanted);
});

/** Creates a plant whose assets have two million characters. */
function createLargePlant(unit: string): ManagedDocument {
  const assets = Array.from({ length: 200 }, (_, index) => ({
    ...BOILER,
    pid: `a${index}`,
    unit: unit.repeat(10_000),
  }));
  return { ...PLANT, assets };
}

/** Asserts that each stored part belongs to a snapshot. */
function assertNoOrphans({ database }: Store): void {
  const listed = database
    .prepare(
      `SELECT DISTINCT atom AS id FROM configuration_snapshot, json_tree(parts) WHERE json_tree.type = 'integer' ORDER BY 1`,
    )
    .all();
  assert.deepEqual(database.prepare('SELECT id FROM configuration_part ORDER BY 1').all(), listed);
}

test('many new parts are stored in portions before their snapshot, which is there as a whole or not at all', (t) => {
  const { snapshots, store, listParts, restart } = createSnapshots(t);
  snapshots.save(PLANT);
  const large = createLargePlant('x');
  let stored = listParts().length;
  let portions = 0;
  for (const _step of snapshots.prepare(large, TEMPLATES)) {
    const parts = listParts();
    const length = parts.slice(stored).reduce((sum, part) => sum + part.length, 0);
    assert.ok(length < 2 ** 18 + 11_000, `${length} characters at once`);
    portions += Number(parts.length > stored);
    stored = parts.length;
    assert.deepEqual(restart().findNewest()?.document, PLANT);
  }
  assert.ok(portions > 4);
  store.database.exec('CREATE TEMP TABLE before AS SELECT id FROM configuration_part');
  assert.equal(snapshots.save(large, TEMPLATES).id, 2);
  const { missing } =
    store.database
      .prepare('SELECT count(*) AS missing FROM configuration_part WHERE id NOT IN (SELECT id FROM before)')
      .get() ?? {};
  assert.equal(missing, 0);
  assertNoOrphans(store);
  assert.deepEqual(restart().findNewest()?.document, large);
});

test('parts whose snapshot was not stored are removed with the next change, also after a crash', (t) => {
  for (const isCrash of [false, true]) {
    const { snapshots, store, restart } = createSnapshots(t);
    snapshots.save(PLANT);
    snapshots.save({ ...PLANT, drivers: [] });
    // The newest snapshot has no part of its own, unlike the one before.
    snapshots.save({ rest: PLANT.rest });
    finish(snapshots.prepare(createLargePlant('y'), {}));
    assert.throws(() => assertNoOrphans(store));
    const next = isCrash ? restart() : snapshots;
    next.save({ ...PLANT, rest: { allowedPorts: [2] } });
    assertNoOrphans(store);
    finish(next.prepare(createLargePlant('z'), {}));
    finish(next.prepare(createLargePlant('v'), {}));
    next.save(createLargePlant('w'));
    assertNoOrphans(store);
    for (const { id } of next.list()) assert.ok(restart().find(id) !== undefined);
  }
});

test('parts whose snapshot the disk refuses are removed with the next change', (t) => {
  const { snapshots, store, restart } = createSnapshots(t);
  snapshots.save(PLANT);
  const large = createLargePlant('y');
  finish(snapshots.prepare(large, {}));
  store.database.exec(
    `CREATE TRIGGER refuse BEFORE INSERT ON configuration_snapshot BEGIN SELECT RAISE(ABORT, 'full'); END`,
  );
  assert.throws(() => snapshots.save(large));
  assert.throws(() => snapshots.save(large));
  store.database.exec('DROP TRIGGER refuse');
  assert.deepEqual(restart().findNewest()?.document, PLANT);
  snapshots.save({ ...PLANT, assets: [] });
  assertNoOrphans(store);
});

test('a snapshot that is deleted while it is read is not there, and not damaged', (t) => {
  const { store, snapshots, restart } = createSnapshots(t);
  snapshots.save(PLANT);
  const reading = restart().load(1);
  reading.next();
  store.database.exec('DELETE FROM configuration_snapshot; DELETE FROM configuration_part');
  assert.equal(finish(reading), undefined);
});

test('secrets that cannot be read keep the records of their snapshots', (t) => {
  const { snapshots, listParts } = createSnapshots(t);
  for (const record of ['one', 'other'])
    snapshots.save({ drivers: [{ ...LINE, password: new UnreadableSecret(record) }] });
  assert.deepEqual(
    listParts().map((text) => /"\$sealed":"(\w+)"/.exec(text)?.[1]),
    ['one', 'other'],
  );
});
