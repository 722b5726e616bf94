import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { START_LIMIT_MS } from '../../../../daemon/software/deployment/package-bundles.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { buildPackage } from '../../../support/package-builder.ts';
import { RecordingBundleControl } from '../../../support/recording-bundle-control.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { startAdmin } from './admin-fixture.ts';
import type { AdminUnderTest } from './admin-fixture.ts';

const MODULE = 'export function activate() {}\n';
const pump = { symbolicName: 'com.example.pump', main: MODULE };
const java = { symbolicName: 'org.example.java', files: { 'org/example/A$B.class': 'class' } };
const demo = { symbolicName: 'demo', bundles: [pump, java], resources: { 'conf/settings.xml': '<a/>' } };
const demo2 = {
  symbolicName: 'demo',
  version: '2.0.0',
  bundles: [{ ...pump, version: '2.0.0', main: `${MODULE}// 2` }],
};

test('a package is installed and listed, its bundles start, and it survives a restart', async (t) => {
  const first = await startAdmin(t);
  const operation = await first.install(demo);
  assert.equal(operation.state, 'COMPLETED', operation.message);
  const expected = [
    {
      name: 'demo',
      version: '1.0.0',
      bundles: [
        { name: 'com.example.pump', version: '1.0.0', state: 'ACTIVE' },
        { name: 'org.example.java', version: '1.0.0', state: 'RESOLVED' },
      ],
    },
  ];
  assert.deepEqual(first.admin.list(), expected);
  assert.deepEqual(first.control.calls, ['start com.example.pump 1.0.0']);
  const [running] = first.control.running.values();
  assert.equal(readFileSync(path.join(running?.directory ?? '', 'main.mjs'), 'utf8'), MODULE);
  await first.close();

  const second = await startAdmin(t, { directory: first.directory });
  assert.deepEqual(second.admin.list(), expected);
  assert.deepEqual(
    second.admin.operations().map(({ id, state }) => [id, state]),
    [[operation.id, 'COMPLETED']],
  );
});

test('an update stops the previous bundles, starts the new ones and removes leftover files', async (t) => {
  const { admin, control, install, packagesDirectory } = await startAdmin(t);
  await install(demo);
  const operation = await install(demo2);
  assert.equal(operation.state, 'COMPLETED', operation.message);
  assert.deepEqual(control.calls, [
    'start com.example.pump 1.0.0',
    'stop com.example.pump 1.0.0',
    'stop org.example.java 1.0.0',
    'start com.example.pump 2.0.0',
    'removeData org.example.java',
  ]);
  assert.deepEqual(
    admin.list().map(({ version }) => version),
    ['2.0.0'],
  );
  assertTidy(packagesDirectory, 1);
});

test('a fix package keeps the installed entries that it names as missing', async (t) => {
  const { admin, control, install } = await startAdmin(t);
  await install(demo);
  const operation = await install({
    symbolicName: 'demo',
    version: '1.1.0',
    headers: { 'DeploymentPackage-FixPack': '[1.0,1.1)' },
    missingBundles: [java],
    bundles: [{ ...pump, version: '1.1.0' }],
    missingResources: ['conf/settings.xml'],
  });
  assert.equal(operation.state, 'COMPLETED', operation.message);
  assert.deepEqual(
    admin
      .list()[0]
      ?.bundles.map(({ name, version }) => `${name} ${version}`)
      .sort(),
    ['com.example.pump 1.1.0', 'org.example.java 1.0.0'],
  );
  const [running] = control.running.values();
  const content = path.resolve(running?.directory ?? '', '../..');
  assert.equal(readFileSync(path.join(content, 'resources/conf/settings.xml'), 'utf8'), '<a/>');
  assert.ok(existsSync(path.join(content, 'archives/org.example.java.jar')));
});

test('a fix package for versions that are not installed is refused', async (t) => {
  const { install } = await startAdmin(t);
  const fix = { symbolicName: 'demo', headers: { 'DeploymentPackage-FixPack': '[2,3)' }, bundles: [pump] };
  assert.equal((await install(fix)).errorCode, 453);
  await install(demo);
  assert.equal((await install(fix)).errorCode, 453);
});

test('an uninstallation stops the bundles and removes the package and its data; other packages do not change', async (t) => {
  const { admin, control, install, uninstall, packagesDirectory } = await startAdmin(t);
  await install(demo);
  await install({ symbolicName: 'other', bundles: [{ symbolicName: 'other.bundle', main: MODULE }] });
  const operation = await uninstall('demo');
  assert.equal(operation.state, 'COMPLETED', operation.message);
  assert.deepEqual([operation.name, operation.version], ['demo', '1.0.0']);
  assert.deepEqual([...control.running.keys()], ['other.bundle 1.0.0']);
  assert.deepEqual(
    admin.list().map(({ name }) => name),
    ['other'],
  );
  assertTidy(packagesDirectory, 1);
});

test('a bundle that does not stay up restores the previous version', async (t) => {
  const { admin, control, install, packagesDirectory } = await startAdmin(t);
  await install(demo);
  control.failures.set('com.example.pump 2.0.0', 'exited with status 1');
  const operation = await install(demo2);
  assert.deepEqual([operation.state, operation.phase, operation.errorCode], ['FAILED', 'STARTING', 463]);
  assert.match(operation.message ?? '', /com\.example\.pump 2\.0\.0.*exited with status 1/);
  assert.deepEqual(
    admin.list().map(({ version }) => version),
    ['1.0.0'],
  );
  assert.deepEqual([...control.running.keys()], ['com.example.pump 1.0.0']);
  assertTidy(packagesDirectory, 1);
});

test('a bundle that does not start in time restores the previous state', async (t) => {
  const clock = new ManualClock();
  const control = new RecordingBundleControl();
  const { admin, install } = await startAdmin(t, { clock, control });
  control.hanging.add('com.example.pump');
  const installing = install(demo);
  while (control.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(START_LIMIT_MS);
  assert.equal((await installing).errorCode, 465);
  assert.deepEqual(admin.list(), []);
});

test('a bundle that belongs to another package is refused', async (t) => {
  const { install, admin } = await startAdmin(t);
  await install(demo);
  const operation = await install({ symbolicName: 'thief', bundles: [pump] });
  assert.deepEqual([operation.state, operation.errorCode], ['FAILED', 460]);
  assert.deepEqual(
    admin.list().map(({ name }) => name),
    ['demo'],
  );
});

test('a package that requires more storage than is free is refused', async (t) => {
  const { admin, install } = await startAdmin(t);
  const headers = { 'DeploymentPackage-RequiredStorage': '900000000000000' };
  const operation = await install({ ...demo, headers });
  assert.deepEqual([operation.state, operation.phase, operation.errorCode], ['FAILED', 'STAGING', 463]);
  assert.deepEqual(admin.list(), []);
});

test('an installation of the installed package changes nothing', async (t) => {
  const { control, install } = await startAdmin(t);
  const bytes = buildPackage(demo);
  await install(bytes);
  assert.equal((await install(bytes)).state, 'COMPLETED');
  assert.deepEqual(control.calls, ['start com.example.pump 1.0.0']);
});

test('an altered installed file is detected at the start: its bundle does not run, others do, and a new installation repairs it', async (t) => {
  const first = await startAdmin(t);
  const bytes = buildPackage(demo);
  await first.install(bytes);
  await first.install({ symbolicName: 'other', bundles: [{ symbolicName: 'other.bundle', main: MODULE }] });
  const [damaged] = first.control.running.values();
  await first.close();
  writeFileSync(path.join(damaged?.directory ?? '', 'main.mjs'), MODULE.replace('e', 'f'));

  const second = await startAdmin(t, { directory: first.directory });
  assert.deepEqual([...second.control.running.keys()], ['other.bundle 1.0.0']);
  assert.deepEqual(
    second.admin.list()[0]?.bundles.map(({ state }) => state),
    ['FAILED', 'RESOLVED'],
  );
  assert.ok(second.logger.lines.some(({ event }) => event === 'package.damaged'));
  assert.equal((await second.install(bytes)).state, 'COMPLETED');
  assert.equal(second.admin.list()[0]?.bundles[0]?.state, 'ACTIVE');
});

test('requests for the same URL or the same name share one operation; one identity cannot fill the queue', async (t) => {
  const { admin, write, ended, install } = await startAdmin(t);
  await install(demo);
  const first = admin.install(write(demo2, 'a.dp'), {});
  const again = admin.install(write(demo2, 'a.dp'), {});
  assert.deepEqual([first.isNew, again.isNew, again.operation.id], [true, false, first.operation.id]);
  assert.equal(admin.uninstall('demo', {}).isNew, true);
  assert.equal(admin.uninstall('demo', {}).isNew, false);
  for (let index = 0; index < 7; index += 1) admin.install(write(demo, `${index}.dp`), {});
  assert.throws(() => admin.install(write(demo, 'last.dp'), {}), { code: 'DEPLOYMENT_QUEUE_FULL' });
  const others = ['b', 'b', 'b', 'b', 'c', 'c', 'd', 'e'].map((identity, index) =>
    admin.install(write(demo, `${identity}${index}.dp`), { identity }),
  );
  assert.ok(others.every(({ isNew }) => isNew));
  const late = { identity: 'f' };
  assert.throws(() => admin.install(write(demo, 'late.dp'), late), { code: 'DEPLOYMENT_QUEUE_FULL' });
  await ended(first.operation.id);
});

test('operations that are queued at a stop run after the next start', async (t) => {
  const first = await startAdmin(t);
  const ids = ['a', 'b', 'c'].map((symbolicName) => {
    const bundles = [{ symbolicName: `${symbolicName}.bundle`, main: MODULE }];
    return first.admin.install(first.write({ symbolicName, bundles }), {}).operation.id;
  });
  const sent = buildPackage({ symbolicName: 'd', bundles: [] });
  const received = await first.admin.receive(toChunks(sent));
  ids.push((await first.admin.installReceived(received, {})).operation.id);
  await first.close();

  const second = await startAdmin(t, { directory: first.directory });
  for (const id of ids) {
    const operation = second.admin.getOperation(id);
    const ended = operation.state === 'COMPLETED' ? operation : await second.ended(id);
    assert.equal(ended.state, 'COMPLETED', ended.message);
  }
  assert.deepEqual(
    second.admin.list().map(({ name }) => name),
    ['a', 'b', 'c', 'd'],
  );
  assertTidy(second.packagesDirectory, 4);
});

test('a file outside the configured directories, a link to it, and a special file are refused alike', async (t) => {
  const outside = createTemporaryDirectory(t);
  writeFileSync(path.join(outside, 'a.dp'), buildPackage(demo));
  const { admin, ended, directory } = await startAdmin(t);
  symlinkSync(path.join(outside, 'a.dp'), path.join(directory, 'link.dp'));
  symlinkSync(outside, path.join(directory, 'away'));
  execFileSync('mkfifo', [path.join(directory, 'pipe.dp')]);
  const refused = [
    path.join(outside, 'a.dp'),
    path.join(outside, 'none.dp'),
    path.join(directory, 'link.dp'),
    path.join(directory, 'away', 'a.dp'),
    path.join(directory, 'none.dp'),
    path.join(directory, 'pipe.dp'),
    directory,
    '/dev/zero',
    '/proc/self/environ',
  ];
  const messages = new Set<string | undefined>();
  for (const file of refused) {
    const { state, message } = await ended(admin.install(pathToFileURL(file).href, {}).operation.id);
    assert.equal(state, 'FAILED', file);
    messages.add(message);
  }
  assert.equal(messages.size, 1);
});

test('a package that is too large, or not a package, leaves no files', async (t) => {
  const { admin, install, packagesDirectory } = await startAdmin(t, {
    settings: { maximumPackageBytes: 100 },
  });
  const operation = await install(demo);
  assert.equal(operation.state, 'FAILED');
  await assert.rejects(admin.receive(toChunks(Buffer.alloc(101))), { code: 'PACKAGE_TOO_LARGE' });
  assert.equal((await install(Buffer.from('not a package'))).errorCode, 404);
  assertTidy(packagesDirectory, 0);
});

async function* toChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  await Promise.resolve();
}

/** Asserts that operations left no files, and that `packages` packages have one version each. */
function assertTidy(packagesDirectory: AdminUnderTest['packagesDirectory'], packages: number): void {
  const list = (directory: string) => readdirSync(path.join(packagesDirectory, directory));
  assert.deepEqual([...list('spool'), ...list('staging')], []);
  assert.deepEqual(list('.').sort(), ['data', 'ledger', 'spool', 'staging', 'store', 'trash']);
  assert.equal(list('ledger').length, packages);
  assert.equal(list('store').length, packages);
  for (const name of list('store')) assert.equal(list(path.join('store', name)).length, 1);
}
