import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { RETRY_INTERVAL_MS } from '../../../../daemon/software/deployment/package-trash.ts';
import { releaseAfter, releaseImmutable, setImmutable } from '../../../support/immutable-file.ts';
import { WITH_ROOT } from '../../../support/root.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startAdmin } from './admin-fixture.ts';
import type { AdminUnderTest } from './admin-fixture.ts';

const MODULE = 'export {};\n';
const demo = { symbolicName: 'demo', bundles: [{ symbolicName: 'demo.bundle', main: MODULE }] };
const other = { symbolicName: 'other', bundles: [{ symbolicName: 'other.bundle', main: MODULE }] };

function dataOf({ packagesDirectory }: AdminUnderTest, bundle = 'demo.bundle'): string {
  return path.join(packagesDirectory, 'data', bundle);
}

function listTrash({ packagesDirectory }: AdminUnderTest): readonly string[] {
  return readdirSync(path.join(packagesDirectory, 'trash'));
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('the data of a removed bundle is out of the way when the operation ends, whatever its state', async (t) => {
  const bench = await startAdmin(t);
  await bench.install(demo);
  const data = dataOf(bench);
  mkdirSync(path.join(data, 'a/b/c'), { recursive: true });
  writeFileSync(Buffer.concat([Buffer.from(`${data}/a/`), Buffer.from([0xff])]), '');
  symlinkSync('/etc', path.join(data, 'a/link'));
  for (const name of ['a/b/c', 'a/b', 'a', '.']) chmodSync(path.join(data, name), 0o000);
  assert.equal((await bench.uninstall('demo')).state, 'COMPLETED');
  assert.ok(!existsSync(data));
  await until(() => listTrash(bench).length === 0);
  assert.equal((await bench.install(demo)).state, 'COMPLETED');
});

test('the data of a bundle that did not stay up at its first installation is removed, that of others is kept', async (t) => {
  const bench = await startAdmin(t);
  await bench.install(demo);
  for (const bundle of ['demo.bundle', 'demo.more']) mkdirSync(dataOf(bench, bundle), { recursive: true });
  bench.control.failures.set('demo.more', 'crashed');
  const bundles = [...demo.bundles, { symbolicName: 'demo.more', main: MODULE }];
  assert.equal((await bench.install({ ...demo, version: '2.0.0', bundles })).state, 'FAILED');
  assert.ok(existsSync(dataOf(bench)));
  assert.ok(!existsSync(dataOf(bench, 'demo.more')));
});

test('a link in place of the data is removed, not followed', async (t) => {
  const bench = await startAdmin(t);
  await bench.install(demo);
  const outside = path.join(bench.directory, 'outside');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'file'), '');
  symlinkSync(outside, dataOf(bench));
  assert.equal((await bench.uninstall('demo')).state, 'COMPLETED');
  await until(() => listTrash(bench).length === 0);
  assert.ok(existsSync(path.join(outside, 'file')));
});

test('what an earlier run of the daemon did not finish removing is removed at the start', async (t) => {
  const first = await startAdmin(t);
  await first.install(demo);
  await first.close();
  const half = path.join(first.packagesDirectory, 'trash', 'operation.0123456789ab', 'a');
  mkdirSync(half, { recursive: true });
  writeFileSync(path.join(half, 'file'), '');
  const next = await startAdmin(t, { directory: first.directory });
  await until(() => listTrash(next).length === 0);
  assert.deepEqual([...next.control.running.keys()], ['demo.bundle 1.0.0']);
});

test(
  'files that cannot be removed are reported, block no operation and no start, and are tried again',
  WITH_ROOT,
  async (t) => {
    const clock = new ManualClock();
    const first = await startAdmin(t, { clock });
    await first.install(demo);
    const data = dataOf(first);
    mkdirSync(path.join(data, 'a'), { recursive: true });
    for (const name of ['a/kept', 'a/other', 'file']) writeFileSync(path.join(data, name), '');
    setImmutable(path.join(data, 'a/kept'));
    const trash = path.join(first.packagesDirectory, 'trash');
    releaseAfter(t, trash);
    const { id, state } = await first.uninstall('demo');
    assert.equal(state, 'COMPLETED');
    assert.ok(!existsSync(data));
    await until(() => first.logger.lines.some(({ event }) => event === 'package.filesNotDeleted'));
    const message = 'files of the package cannot be removed: kept (EPERM); the gateway retries';
    assert.equal(first.admin.getOperation(id).leftover, message);

    assert.equal((await first.install(demo)).state, 'COMPLETED');
    assert.equal((await first.install(other)).state, 'COMPLETED');
    await first.close();
    const next = await startAdmin(t, { directory: first.directory, clock });
    assert.equal(next.admin.getOperation(id).leftover, message);
    assert.deepEqual([...next.control.running.keys()].toSorted(), [
      'demo.bundle 1.0.0',
      'other.bundle 1.0.0',
    ]);
    assert.equal((await next.uninstall('other')).state, 'COMPLETED');
    await until(() => next.logger.lines.some(({ event }) => event === 'package.filesNotDeleted'));

    releaseImmutable(trash);
    await until(() => {
      clock.advance(RETRY_INTERVAL_MS);
      return listTrash(next).length === 0;
    });
    await until(() => next.admin.getOperation(id).leftover === undefined);
    assert.equal(next.logger.lines.filter(({ event }) => event === 'package.filesNotDeleted').length, 1);
  },
);

test(
  'a data directory that cannot even be moved is remembered across restarts, and blocks nothing',
  WITH_ROOT,
  async (t) => {
    const first = await startAdmin(t);
    await first.install(demo);
    await first.install(other);
    const data = dataOf(first);
    mkdirSync(data, { recursive: true });
    setImmutable(data);
    releaseAfter(t, data);
    const { id, state, leftover } = await first.uninstall('demo');
    assert.equal(state, 'COMPLETED');
    assert.match(leftover ?? '', /^the data of demo\.bundle cannot be removed: /);
    assert.ok(first.logger.lines.some(({ event }) => event === 'package.dataNotDeleted'));
    assert.equal((await first.uninstall('other')).state, 'COMPLETED');
    await first.close();

    const next = await startAdmin(t, { directory: first.directory });
    assert.equal((await next.install(other)).state, 'COMPLETED');
    assert.ok(existsSync(data));
    assert.match(next.admin.getOperation(id).leftover ?? '', /demo\.bundle/);
    releaseImmutable(data);
    assert.equal((await next.uninstall('other')).state, 'COMPLETED');
    assert.ok(!existsSync(data));
    assert.equal(next.admin.getOperation(id).leftover, undefined);
    assert.ok(!existsSync(path.join(next.packagesDirectory, 'leftover.json')));
  },
);

test(
  'data that could not be removed belongs to its bundle again when that is installed again',
  WITH_ROOT,
  async (t) => {
    const bench = await startAdmin(t);
    await bench.install(demo);
    const data = dataOf(bench);
    mkdirSync(data, { recursive: true });
    writeFileSync(path.join(data, 'state'), '');
    setImmutable(data);
    releaseAfter(t, data);
    await bench.uninstall('demo');
    assert.equal((await bench.install(demo)).state, 'COMPLETED');
    releaseImmutable(data);
    assert.equal((await bench.install(other)).state, 'COMPLETED');
    assert.ok(existsSync(path.join(data, 'state')));
  },
);
