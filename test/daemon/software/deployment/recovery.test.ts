import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { DeploymentJournal } from '../../../../daemon/software/deployment/operation/deployment-journal.ts';
import type { InstalledPackage } from '../../../../daemon/software/deployment/installed-package.ts';
import { InstalledPackageStore } from '../../../../daemon/software/deployment/installed-package-store.ts';
import { planRecovery } from '../../../../daemon/software/deployment/operation/package-recovery.ts';
import { startAdmin } from './admin-fixture.ts';
import type { AdminUnderTest } from './admin-fixture.ts';

const MODULE = 'export {};\n';
const demo = { symbolicName: 'demo', bundles: [{ symbolicName: 'demo.bundle', main: MODULE }] };
const demo2 = { ...demo, version: '2.0.0' };
const other = { symbolicName: 'other', bundles: [{ symbolicName: 'other.bundle', main: MODULE }] };

function toRecord(directory: string): InstalledPackage {
  return {
    name: 'demo',
    version: '1.0.0',
    directory,
    position: 1,
    sha256: '0'.repeat(64),
    installedAtMs: 0,
    bundles: [],
    resources: [],
    files: [],
  };
}

test('planRecovery installs the package of the record, unless the change was abandoned or the record is torn', () => {
  const [one, two] = [toRecord('one'), toRecord('two')];
  const intact = (value: InstalledPackage) => ({ state: 'INTACT', value }) as const;
  const absent = { state: 'ABSENT' } as const;
  const damaged = { state: 'DAMAGED' } as const;
  const cases = [
    ['update, not yet', one, two, 'FORWARD', intact(one), 'FORMER', false],
    ['update, done', one, two, 'FORWARD', intact(two), 'NEW', false],
    ['update, torn', one, two, 'FORWARD', damaged, 'FORMER', true],
    ['update, given up before', one, two, 'BACKWARD', intact(one), 'FORMER', false],
    ['update, given up after', one, two, 'BACKWARD', intact(two), 'FORMER', true],
    ['install, not yet', null, two, 'FORWARD', absent, 'FORMER', false],
    ['install, done', null, two, 'FORWARD', intact(two), 'NEW', false],
    ['install, given up', null, two, 'BACKWARD', intact(two), 'FORMER', true],
    ['uninstall, not yet', one, null, 'FORWARD', intact(one), 'FORMER', false],
    ['uninstall, done', one, null, 'FORWARD', absent, 'NEW', false],
    ['uninstall, given up', one, null, 'BACKWARD', absent, 'FORMER', true],
  ] as const;
  for (const [what, from, to, direction, current, outcome, mustRestoreRecord] of cases) {
    const plan = planRecovery({ operationId: 'a', name: 'demo', direction, from, to }, current);
    assert.deepEqual(plan, { outcome, mustRestoreRecord }, what);
  }
});

interface Parts {
  readonly records: InstalledPackageStore;
  readonly journal: DeploymentJournal;
  readonly recordFile: string;
  readonly journalFile: string;
}

function open({ packagesDirectory }: AdminUnderTest): Parts {
  const [recordDirectory, journalFile] = ['ledger', 'journal.json'].map((name) =>
    path.join(packagesDirectory, name),
  );
  return {
    records: new InstalledPackageStore(recordDirectory ?? ''),
    journal: new DeploymentJournal(journalFile ?? ''),
    recordFile: path.join(recordDirectory ?? '', 'demo.json'),
    journalFile: journalFile ?? '',
  };
}

test('despite a torn journal, the package of the record runs', async (t) => {
  const first = await startAdmin(t);
  await first.install(demo);
  await first.close();
  const { journal, journalFile } = open(first);
  await journal.write({
    operationId: 'a',
    name: 'demo',
    direction: 'BACKWARD',
    from: null,
    to: toRecord('x'),
  });
  const whole = readFileSync(journalFile);
  for (const torn of [whole.subarray(0, whole.length / 2), Buffer.alloc(whole.length), Buffer.alloc(0)]) {
    writeFileSync(journalFile, torn);
    const next = await startAdmin(t, { directory: first.directory });
    assert.deepEqual([...next.control.running.keys()], ['demo.bundle 1.0.0']);
    assert.ok(!readdirSync(first.packagesDirectory).includes('journal.json'));
    await next.close();
  }
});

test('a torn record is replaced by the previous one from the journal', async (t) => {
  const first = await startAdmin(t);
  await first.install(demo);
  await first.close();
  const { records, journal, recordFile } = open(first);
  const [record] = (await records.load()).packages;
  assert.ok(record);
  const to = { ...record, directory: 'another' };
  await journal.write({ operationId: 'a', name: 'demo', direction: 'FORWARD', from: record, to });
  writeFileSync(recordFile, Buffer.alloc(100));
  const next = await startAdmin(t, { directory: first.directory });
  assert.deepEqual([...next.control.running.keys()], ['demo.bundle 1.0.0']);
});

test('a package whose record is damaged is reported and keeps its files; others run, and it can be installed again', async (t) => {
  const first = await startAdmin(t);
  await first.install(demo);
  await first.install(other);
  await first.close();
  const { recordFile } = open(first);
  writeFileSync(recordFile, readFileSync(recordFile, 'utf8').replace('1.0.0', '1.0.1'));
  const next = await startAdmin(t, { directory: first.directory });
  assert.deepEqual([...next.control.running.keys()], ['other.bundle 1.0.0']);
  const line = next.logger.lines.find(({ event }) => event === 'package.recordDamaged');
  assert.equal(line?.fields['package'], 'demo');
  assert.equal(readdirSync(path.join(first.packagesDirectory, 'store', 'demo')).length, 1);
  assert.equal((await next.install(demo)).state, 'COMPLETED');
  assert.equal(readdirSync(path.join(first.packagesDirectory, 'store', 'demo')).length, 1);
});

test('a package whose files cannot be listed counts as damaged, and the others run', async (t) => {
  const first = await startAdmin(t);
  await first.install(demo);
  await first.install(other);
  await first.close();
  const store = path.join(first.packagesDirectory, 'store', 'demo');
  const [version = ''] = readdirSync(store);
  renameSync(path.join(store, version), path.join(first.directory, 'away'));
  writeFileSync(path.join(store, version), 'no directory');
  const next = await startAdmin(t, { directory: first.directory });
  assert.deepEqual([...next.control.running.keys()], ['other.bundle 1.0.0']);
  assert.ok(next.logger.lines.some(({ event }) => event === 'package.damaged'));
});

test('files of interrupted operations are removed at the start', async (t) => {
  const first = await startAdmin(t);
  await first.install(demo);
  await first.close();
  const left = [
    'staging/a/resources/b',
    'spool/a.dp',
    'store/gone/1.0.0-a/b',
    'store/demo/2.0.0-b/c',
    'ledger/demo.json.0011.tmp',
    'journal.json.0011.tmp',
  ].map((name) => path.join(first.packagesDirectory, name));
  for (const file of left) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'left over');
  }
  const before = readdirSync(path.join(first.packagesDirectory, 'store', 'demo'));
  const next = await startAdmin(t, { directory: first.directory });
  const found = readdirSync(first.packagesDirectory, { recursive: true, encoding: 'utf8' });
  for (const file of left) assert.ok(!found.includes(path.relative(first.packagesDirectory, file)), file);
  assert.equal(before.length - 1, readdirSync(path.join(first.packagesDirectory, 'store', 'demo')).length);
  assert.deepEqual([...next.control.running.keys()], ['demo.bundle 1.0.0']);
});

test('a state that cannot be written prevents no start, and the next operation repairs it', async (t) => {
  const first = await startAdmin(t);
  await first.install(demo);
  await first.install(other);
  await first.close();
  const recordDirectory = path.join(first.packagesDirectory, 'ledger');
  renameSync(recordDirectory, `${recordDirectory}.away`);
  writeFileSync(recordDirectory, 'in the way');
  const next = await startAdmin(t, { directory: first.directory });
  assert.ok(next.logger.lines.some(({ event }) => event === 'deployment.recoveryFailed'));
  assert.equal((await next.install(demo2)).errorCode, 462);
  renameSync(recordDirectory, path.join(first.directory, 'rubbish'));
  renameSync(`${recordDirectory}.away`, recordDirectory);
  assert.equal((await next.install(demo2)).state, 'COMPLETED');
  assert.deepEqual(
    next.admin.list().map(({ name, version }) => `${name} ${version}`),
    ['demo 2.0.0', 'other 1.0.0'],
  );
  assert.ok(next.control.running.has('other.bundle 1.0.0'));
});
