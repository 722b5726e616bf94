import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import type net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import type { Clock } from '../../../../../daemon/base/clock.ts';
import { parsePermissions } from '../../../../../daemon/software/bundle/bundle-permissions.ts';
import { UnitLauncher } from '../../../../../daemon/software/bundle/process/unit-launcher.ts';
import { createBundle, createSupervisor } from '../../../../support/bundle-program.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { connectLink, ScriptedLauncher } from '../../../../support/scripted-launcher.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';

type Answer = (lines: readonly string[], connection: net.Socket) => void;

async function createLauncher(
  t: TestContext,
  { answer, clock = systemClock }: { readonly answer: Answer; readonly clock?: Clock },
) {
  const scripted = await ScriptedLauncher.listen(t, answer);
  const linkDirectory = path.join(createTemporaryDirectory(t), 'bundles');
  const launcher = new UnitLauncher({ launcherSocket: scripted.socket, linkDirectory, clock });
  return { scripted, launcher, linkDirectory };
}

const start: Answer = (lines, connection) => {
  connection.write('started 4711\n');
  connectLink(lines);
};
const NONE = parsePermissions({ permissions: '' });
const LASTING = new AbortController().signal;

test('launch asks for a unit with what the manifest names, and resolves with its link', async (t) => {
  const { scripted, launcher, linkDirectory } = await createLauncher(t, { answer: start });
  const bundle = createBundle(t, { source: '', memoryMib: 256 });
  const permissions = parsePermissions({ permissions: 'net, child-process, device=/dev/ttyUSB0' });
  const launched = await launcher.launch({ bundle, permissions, signal: LASTING });
  t.after(() => launched.link.destroy());
  assert.equal(launched.pid, 4711);
  assert.deepEqual(scripted.requests, [
    [
      'start org.example.test',
      'user e29bb35c74ef',
      `content ${bundle.directory}`,
      `link ${linkDirectory}/e29bb35c74ef.sock`,
      'memory 256',
      'net',
      'child-process',
      'device /dev/ttyUSB0',
    ],
  ]);
  assert.deepEqual(launched.paths, {
    directory: '/run/penstock-bundle/content',
    dataDirectory: '/var/lib/private/penstock-bundles/org.example.test',
    main: '/run/penstock-bundle/content/main.mjs',
  });
});

test('the link accepts one connection, and only the gateway can enter its directory', async (t) => {
  const refused = Promise.withResolvers<void>();
  let mode = 0;
  const { launcher, linkDirectory } = await createLauncher(t, {
    answer(lines, connection) {
      mode = statSync(`${linkDirectory}/e29bb35c74ef.sock`).mode & 0o777;
      for (const socket of [connectLink(lines), connectLink(lines)]) socket.once('close', refused.resolve);
      connection.write('started 1\n');
    },
  });
  const launched = await launcher.launch({
    bundle: createBundle(t, { source: '' }),
    permissions: NONE,
    signal: LASTING,
  });
  t.after(() => launched.link.destroy());
  assert.equal(mode, 0o666);
  assert.equal(statSync(linkDirectory).mode & 0o777, 0o700);
  assert.equal(existsSync(`${linkDirectory}/e29bb35c74ef.sock`), false);
  await refused.promise;
});

test('launch lets the user of the bundle read the content', async (t) => {
  const { launcher } = await createLauncher(t, { answer: start });
  const bundle = createBundle(t, { source: '' });
  mkdirSync(path.join(bundle.directory, 'lib'), { mode: 0o700 });
  writeFileSync(path.join(bundle.directory, 'lib', 'a.mjs'), '', { mode: 0o600 });
  chmodSync(bundle.directory, 0o700);
  const launched = await launcher.launch({ bundle, permissions: NONE, signal: LASTING });
  t.after(() => launched.link.destroy());
  const modes = ['', 'lib', 'lib/a.mjs'].map(
    (file) => statSync(path.join(bundle.directory, file)).mode & 0o777,
  );
  assert.deepEqual(modes, [0o755, 0o755, 0o644]);
});

test('launch refuses content with a link, and asks for nothing', async (t) => {
  const { scripted, launcher } = await createLauncher(t, { answer: start });
  const bundle = createBundle(t, { source: '' });
  symlinkSync('/etc/passwd', path.join(bundle.directory, 'linked'));
  await assert.rejects(launcher.launch({ bundle, permissions: NONE, signal: LASTING }), {
    code: 'BUNDLE_DIRECTORY_UNSAFE',
  });
  assert.deepEqual(scripted.requests, []);
});

test('launch rejects with the reason of the launcher', async (t) => {
  const { launcher } = await createLauncher(t, {
    answer: (_lines, connection) => connection.end('refused /dev/sda is not a character device\n'),
  });
  const bundle = createBundle(t, { source: '' });
  await assert.rejects(launcher.launch({ bundle, permissions: NONE, signal: LASTING }), {
    code: 'BUNDLE_NOT_LAUNCHED',
    detail: '/dev/sda is not a character device',
  });
});

test('launch rejects when the unit ends before its bundle has connected', async (t) => {
  const { launcher } = await createLauncher(t, {
    answer: (_lines, connection) => connection.write('started 7\nended exit-code 9\n'),
  });
  const bundle = createBundle(t, { source: '' });
  await assert.rejects(launcher.launch({ bundle, permissions: NONE, signal: LASTING }), {
    code: 'BUNDLE_ENDED',
    detail: 'the bundle ended with status 9',
  });
});

test('launch rejects when nothing listens, naming the unit to look at', async (t) => {
  const linkDirectory = path.join(createTemporaryDirectory(t), 'bundles');
  const launcher = new UnitLauncher({
    launcherSocket: '/nonexistent/socket',
    linkDirectory,
    clock: systemClock,
  });
  const bundle = createBundle(t, { source: '' });
  await assert.rejects(launcher.launch({ bundle, permissions: NONE, signal: LASTING }), {
    code: 'BUNDLE_NOT_LAUNCHED',
    detail: /^penstock-launcher\.socket: .*ENOENT/,
  });
});

test('launch gives up on a launcher that is silent, and closes its connection', async (t) => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<net.Socket>();
  const { launcher } = await createLauncher(t, {
    answer: (_lines, connection) => asked.resolve(connection),
    clock,
  });
  const launching = launcher.launch({
    bundle: createBundle(t, { source: '' }),
    permissions: NONE,
    signal: LASTING,
  });
  const refused = assert.rejects(launching, {
    code: 'BUNDLE_NOT_LAUNCHED',
    detail: 'the launcher did not respond within 75 s',
  });
  const connection = await asked.promise;
  const closed = once(connection, 'close');
  clock.advance(75_000);
  await refused;
  await closed;
});

test('a stop does not wait for a launcher that is silent', async (t) => {
  const asked = Promise.withResolvers<net.Socket>();
  const { launcher } = await createLauncher(t, { answer: (_lines, connection) => asked.resolve(connection) });
  const { supervisor } = createSupervisor(t, { launcher });
  const bundle = createBundle(t, { source: '' });
  const refused = assert.rejects(supervisor.start(bundle), { code: 'BUNDLE_STOPPED' });
  const closed = once(await asked.promise, 'close');
  await supervisor.stop(bundle.id);
  await refused;
  await closed;
});

for (const { line, code, detail } of [
  { line: 'ended exit-code 3', code: 'BUNDLE_ENDED', detail: 'the bundle ended with status 3' },
  { line: 'ended signal 9', code: 'BUNDLE_ENDED', detail: 'the bundle ended by signal 9' },
  {
    line: 'ended oom-kill 9',
    code: 'BUNDLE_MEMORY_EXCEEDED',
    detail: 'the bundle uses more memory than its unit allows',
  },
]) {
  test(`"${line}" ends the bundle with ${code}`, async (t) => {
    const { scripted, launcher } = await createLauncher(t, { answer: start });
    const launched = await launcher.launch({
      bundle: createBundle(t, { source: '' }),
      permissions: NONE,
      signal: LASTING,
    });
    t.after(() => launched.link.destroy());
    scripted.connections[0]?.write(`${line}\n`);
    const end = await launched.ended;
    assert.deepEqual({ code: end.code, detail: end.detail }, { code, detail });
  });
}

test('a launcher that dies ends the bundle: it may not run on unheld', async (t) => {
  const { scripted, launcher } = await createLauncher(t, { answer: start });
  const launched = await launcher.launch({
    bundle: createBundle(t, { source: '' }),
    permissions: NONE,
    signal: LASTING,
  });
  t.after(() => launched.link.destroy());
  scripted.connections[0]?.destroy();
  assert.equal((await launched.ended).code, 'BUNDLE_NOT_LAUNCHED');
});

test('terminate and kill are passed on, and a closed link makes the launcher look', async (t) => {
  const { scripted, launcher } = await createLauncher(t, { answer: start });
  const launched = await launcher.launch({
    bundle: createBundle(t, { source: '' }),
    permissions: NONE,
    signal: LASTING,
  });
  launched.terminate();
  launched.kill();
  await scripted.awaitLater('kill');
  launched.link.destroy();
  await scripted.awaitLater('check');
  assert.deepEqual(scripted.later, ['terminate', 'kill', 'check']);
});

test('readResidentBytes returns what the launcher measured last', async (t) => {
  const { scripted, launcher } = await createLauncher(t, { answer: start });
  const launched = await launcher.launch({
    bundle: createBundle(t, { source: '' }),
    permissions: NONE,
    signal: LASTING,
  });
  t.after(() => launched.link.destroy());
  assert.equal(await launched.readResidentBytes(), undefined);
  scripted.connections[0]?.write('memory 1000\nmemory 2000\nended exit-code 0\n');
  await launched.ended;
  assert.equal(await launched.readResidentBytes(), 2000);
});

test('measureStorage returns what the launcher measured last, and setWritable is passed on', async (t) => {
  const { scripted, launcher } = await createLauncher(t, { answer: start });
  const launched = await launcher.launch({
    bundle: createBundle(t, { source: '' }),
    permissions: NONE,
    signal: LASTING,
  });
  t.after(() => launched.link.destroy());
  assert.equal(await launched.measureStorage(10), undefined);
  await launched.setWritable(false);
  await launched.setWritable(true);
  await scripted.awaitLater('storage free');
  assert.deepEqual(scripted.later, ['storage full', 'storage free']);
  scripted.connections[0]?.write('storage 4096 2\nstorage 8192 3 ENAMETOOLONG\nended exit-code 0\n');
  await launched.ended;
  assert.deepEqual(await launched.measureStorage(10), {
    bytes: 8192,
    entries: 3,
    unreadable: 'ENAMETOOLONG',
  });
});

test('a device that is plugged in makes the bundle end, to be started again with it', async (t) => {
  const clock = new ManualClock();
  const { scripted, launcher } = await createLauncher(t, { answer: start, clock });
  const device = path.join(createTemporaryDirectory(t), 'device');
  const bundle = createBundle(t, { source: '' });
  const launched = await launcher.launch({
    bundle,
    permissions: { ...NONE, devices: [device] },
    signal: LASTING,
  });
  t.after(() => launched.link.destroy());
  // A file of no device has the number 0, which is another one than none.
  writeFileSync(device, '');
  const told = scripted.awaitLater('terminate').then(() => true);
  while (!(await Promise.race([told, new Promise((resolve) => setImmediate(resolve, false))]))) {
    clock.advance(2000);
  }
  scripted.connections[0]?.write('ended success 0\n');
  const { code, detail } = await launched.ended;
  assert.deepEqual({ code, detail }, { code: 'BUNDLE_DEVICE_CHANGED', detail: `${device} was plugged in` });
});

test('removeData asks the launcher, and rejects with its reason', async (t) => {
  const { scripted, launcher } = await createLauncher(t, {
    answer: ([line = ''], connection) =>
      connection.end(line === 'remove org.example.test' ? 'removed\n' : 'refused it is held\n'),
  });
  await launcher.removeData('org.example.test');
  assert.deepEqual(scripted.requests, [['remove org.example.test']]);
  await assert.rejects(launcher.removeData('org.example.other'), {
    code: 'BUNDLE_NOT_LAUNCHED',
    detail: 'it is held',
  });
});
