import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../../../daemon/base/clock.ts';
import { DEFAULT_LIMITS } from '../../../../daemon/software/bundle/bundle-limits.ts';
import type { BundleLauncher } from '../../../../daemon/software/bundle/process/bundle-launcher.ts';
import { ChildLauncher } from '../../../../daemon/software/bundle/process/child-launcher.ts';
import { probeLaunchFeatures } from '../../../../daemon/software/bundle/process/launch-command.ts';
import type { StorageUsage } from '../../../../daemon/software/bundle/storage/storage-usage.ts';
import { createBundle, createSupervisor, RecordingHost } from '../../../support/bundle-program.ts';
import { makeDeepPath } from '../../../support/deep-path.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';

const IDLE = 'export function activate() {}';

function isAlive(pid: number | undefined): boolean {
  return pid !== undefined && existsSync(`/proc/${pid}`);
}

test('start resolves when the bundle is ACTIVE, stop when its process has exited', async (t) => {
  const { supervisor, states } = createSupervisor(t);
  const bundle = createBundle(t, { source: IDLE });
  await supervisor.start(bundle);
  assert.equal(supervisor.stateOf(bundle.id), 'ACTIVE');
  const pid = supervisor.list()[0]?.pid;
  assert.ok(isAlive(pid));
  await supervisor.stop(bundle.id);
  assert.ok(!isAlive(pid));
  assert.deepEqual(
    states.map(({ state }) => state),
    ['STARTING', 'ACTIVE', 'STOPPING', 'INSTALLED'],
  );
  assert.deepEqual(supervisor.list(), []);
});

for (const [what, body] of [
  ['fails', `throw new Error('disk');`],
  ['takes too long', `return new Promise(() => {});`],
  ['ends the process', `process.kill(process.pid, 'SIGKILL');`],
] as const) {
  test(`a bundle whose deactivate ${what} is stopped, and the log says so`, async (t) => {
    const { supervisor, lines } = createSupervisor(t);
    const bundle = createBundle(t, {
      source: `export function activate() {}\nexport function deactivate() { ${body} }`,
    });
    await supervisor.start(bundle);
    await supervisor.stop(bundle.id);
    assert.deepEqual(supervisor.list(), []);
    const failed = lines.filter(({ event }) => event === 'bundle.deactivationFailed');
    assert.equal(failed.length, 1);
    assert.equal(failed[0]?.level, 'warn');
    assert.ok(failed[0]?.fields['error'] instanceof Error);
  });
}

test('a measurement that ends during deactivate does not cut it off', async (t) => {
  const clock = systemClock;
  const children = new ChildLauncher({
    heapMib: DEFAULT_LIMITS.heapMib,
    probe: probeLaunchFeatures,
    logger: createMemoryLogger(),
    clock,
  });
  const measured = Promise.withResolvers<StorageUsage>();
  const launcher: BundleLauncher = {
    launch: async (request) => {
      const launched = await children.launch(request);
      return Object.assign(launched, { measureStorage: () => measured.promise });
    },
    removeData: () => children.removeData(),
  };
  const host = new RecordingHost();
  host.onCall = async () => {
    measured.resolve({ bytes: 1, entries: 1, unreadable: 'closed' });
    await new Promise((resolve) => setImmediate(resolve));
    return [];
  };
  const { supervisor, lines } = createSupervisor(t, { host, launcher, limits: { deactivationMs: 60_000 } });
  const bundle = createBundle(t, {
    source: `
      import { writeFileSync } from 'node:fs';
      let context;
      export function activate(given) { context = given; }
      export async function deactivate() {
        await context.assets.read('line', ['level']);
        writeFileSync(context.bundle.dataDirectory + '/state', 'done');
      }`,
  });
  await supervisor.start(bundle);
  await supervisor.stop(bundle.id);
  assert.equal(readFileSync(path.join(bundle.dataDirectory, 'state'), 'utf8'), 'done');
  assert.deepEqual(
    lines.filter(({ level }) => level === 'warn' || level === 'error'),
    [],
  );
});

test('a bundle calls the gateway, writes its log and its data, and is deactivated', async (t) => {
  const host = new RecordingHost();
  const { supervisor, lines } = createSupervisor(t, { host });
  const bundle = createBundle(t, {
    source: `
      import { writeFileSync } from 'node:fs';
      let file;
      export async function activate({ bundle, logger, assets }) {
        file = bundle.dataDirectory + '/state';
        logger.warn('hello', { count: 1, list: [2] });
        console.log('plain output');
        await assets.read('line', ['level']).catch(() => undefined);
      }
      export function deactivate() { writeFileSync(file, 'done'); }`,
  });
  await supervisor.start(bundle);
  await supervisor.stop(bundle.id);
  assert.deepEqual(host.calls, [['assets.read', { asset: 'line', channels: ['level'] }]]);
  const logged = lines
    .filter(({ event }) => event === 'bundle.logged')
    .map(({ level, fields }) => [level, fields]);
  const names = { bundle: 'org.example.test', version: '1.0.0' };
  assert.deepEqual(
    logged.find(([level]) => level === 'warn'),
    ['warn', { ...names, message: 'hello', fields: { count: 1, list: '[ 2 ]' } }],
  );
  assert.deepEqual(
    logged.find(([level]) => level === 'info'),
    ['info', { ...names, message: 'plain output' }],
  );
  assert.equal(readFileSync(path.join(bundle.dataDirectory, 'state'), 'utf8'), 'done');
  assert.equal(host.ended.length, 1);
});

test('what a bundle writes and what becomes of it is kept beyond its end', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundle = createBundle(t, {
    source: `
      export function activate({ logger }) {
        logger.warn('hello', { count: 1 });
        console.log('plain output');
      }`,
  });
  const name = 'org.example.test';
  assert.throws(() => supervisor.listLines(name, 10), { code: 'BUNDLE_UNKNOWN' });
  await supervisor.start(bundle);
  await supervisor.stop(bundle.id);
  const kept = supervisor.listLines(name, 100);
  assert.ok(kept.every(({ version, timeMs }) => version === '1.0.0' && timeMs > 0));
  const shown = kept.map(({ source, level, message, fields }) => ({ source, level, message, fields }));
  const ofGateway = shown.filter(({ source }) => source === 'GATEWAY').map(({ message }) => message);
  assert.deepEqual(ofGateway, ['STARTING', 'ACTIVE', 'STOPPING', 'INSTALLED']);
  assert.deepEqual(
    shown.find(({ source }) => source === 'LOGGER'),
    { source: 'LOGGER', level: 'warn', message: 'hello', fields: { count: 1 } },
  );
  assert.deepEqual(
    shown.find(({ source }) => source === 'OUTPUT'),
    { source: 'OUTPUT', level: 'info', message: 'plain output', fields: undefined },
  );
  assert.deepEqual(supervisor.listLines(name, 1), kept.slice(-1));
});

test('of a bundle that failed, the reason is among what is kept', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundle = createBundle(t, { source: `export function activate() { throw new Error('no line'); }` });
  await assert.rejects(supervisor.start(bundle));
  const [last] = supervisor.listLines('org.example.test', 1);
  assert.equal(last?.level, 'error');
  assert.match(last.message, /^FAILED: .*no line/);
});

test('start rejects with the error that activate throws', async (t) => {
  const { supervisor } = createSupervisor(t);
  const source = 'export function activate() { throw new Error("no such meter"); }';
  const bundle = createBundle(t, { source });
  await assert.rejects(supervisor.start(bundle), {
    code: 'BUNDLE_ACTIVATION_FAILED',
    detail: /no such meter/,
  });
  assert.equal(supervisor.stateOf(bundle.id), 'FAILED');
});

for (const { name, source } of [
  { name: 'does not parse', source: 'export function {' },
  { name: 'exports no activate', source: 'export const started = true;' },
]) {
  test(`start rejects when the main module ${name}`, async (t) => {
    const { supervisor } = createSupervisor(t);
    const bundle = createBundle(t, { source });
    await assert.rejects(supervisor.start(bundle), { code: 'BUNDLE_ACTIVATION_FAILED' });
  });
}

test('start rejects when activate does not finish in time', async (t) => {
  const { supervisor } = createSupervisor(t, { limits: { activationMs: 1500 } });
  const bundle = createBundle(t, { source: 'export function activate() { return new Promise(() => {}); }' });
  await assert.rejects(supervisor.start(bundle), { code: 'BUNDLE_CALL_TIMEOUT' });
});

test('a bundle that exits after its start is restarted', async (t) => {
  const { supervisor, awaitStatus, states } = createSupervisor(t);
  const bundle = createBundle(t, {
    source: 'export function activate() { setTimeout(() => process.exit(3), 300); }',
  });
  await supervisor.start(bundle);
  const failed = await awaitStatus(({ state }) => state === 'FAILED');
  assert.match(failed.cause ?? '', /status 3/);
  assert.ok(failed.restartAtMs !== undefined);
  const active = await awaitStatus(({ state }) => state === 'ACTIVE', states.indexOf(failed));
  assert.equal(active.cause, undefined);
});

test('an uncaught exception ends the bundle, and its stack trace is logged', async (t) => {
  const { supervisor, awaitStatus, lines } = createSupervisor(t);
  const source = 'export function activate() { setTimeout(() => { throw new Error("broken pump"); }, 300); }';
  await supervisor.start(createBundle(t, { source }));
  const failed = await awaitStatus(({ state }) => state === 'FAILED');
  assert.match(failed.cause ?? '', /status 1/);
  assert.ok(lines.some(({ fields }) => String(fields['message']).includes('broken pump')));
});

test('a bundle that is asked to restart is stopped and started, and has not failed', async (t) => {
  const { supervisor, states } = createSupervisor(t);
  const bundle = createBundle(t, { source: IDLE });
  await supervisor.start(bundle);
  const pid = supervisor.list()[0]?.pid;
  supervisor.restart(bundle.id.name);
  // A second request while the first one is carried out asks for nothing else.
  supervisor.restart(bundle.id.name);
  await supervisor.start(bundle);
  assert.deepEqual(
    states.map(({ state }) => state),
    ['STARTING', 'ACTIVE', 'STOPPING', 'STARTING', 'ACTIVE'],
  );
  assert.notEqual(supervisor.list()[0]?.pid, pid);
  assert.ok(!isAlive(pid));
});

test('a stop during a restart ends the bundle', async (t) => {
  const { supervisor, states } = createSupervisor(t);
  const bundle = createBundle(t, { source: IDLE });
  await supervisor.start(bundle);
  supervisor.restart(bundle.id.name);
  await supervisor.stop(bundle.id);
  assert.deepEqual(
    states.map(({ state }) => state),
    ['STARTING', 'ACTIVE', 'STOPPING', 'INSTALLED'],
  );
  assert.deepEqual(supervisor.list(), []);
});

test('a stop while a restart is planned ends the supervision', async (t) => {
  const { supervisor, awaitStatus } = createSupervisor(t);
  const bundle = createBundle(t, { source: 'process.exit(0); export function activate() {}' });
  await assert.rejects(supervisor.start(bundle), { code: 'BUNDLE_ENDED' });
  await awaitStatus(({ state }) => state === 'FAILED');
  await supervisor.stop(bundle.id);
  assert.equal(supervisor.stateOf(bundle.id), 'INSTALLED');
  assert.deepEqual(supervisor.list(), []);
});

test('a stop during the start ends the start', async (t) => {
  const { supervisor, awaitStatus } = createSupervisor(t);
  const bundle = createBundle(t, { source: IDLE });
  const start = supervisor.start(bundle);
  const rejection = assert.rejects(start, { code: 'BUNDLE_STOPPED' });
  await awaitStatus(({ state }) => state === 'STARTING');
  await supervisor.stop(bundle.id);
  await rejection;
  assert.equal(supervisor.stateOf(bundle.id), 'INSTALLED');
});

test('a bundle without a main module is never started', async (t) => {
  const { supervisor, states } = createSupervisor(t);
  const bundle = { ...createBundle(t, { source: IDLE }), main: undefined };
  await supervisor.start(bundle);
  assert.equal(supervisor.stateOf(bundle.id), 'RESOLVED');
  assert.deepEqual(states, []);
});

for (const main of ['../main.mjs', '/etc/hostname', '.']) {
  test(`a main module outside the bundle is refused: ${main}`, async (t) => {
    const { supervisor } = createSupervisor(t);
    const bundle = { ...createBundle(t, { source: IDLE }), main };
    await assert.rejects(supervisor.start(bundle), { code: 'BUNDLE_NOT_STARTABLE' });
  });
}

test('an unknown permission is refused without a restart', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundle = createBundle(t, { source: IDLE, permissions: 'net, root' });
  await assert.rejects(supervisor.start(bundle), { code: 'BUNDLE_PERMISSIONS_INVALID' });
  assert.equal(supervisor.list()[0]?.restartAtMs, undefined);
});

test('a bundle with a link in its directory is refused', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundle = createBundle(t, { source: IDLE });
  symlinkSync('/etc', path.join(bundle.directory, 'configuration'));
  await assert.rejects(supervisor.start(bundle), {
    code: 'BUNDLE_DIRECTORY_UNSAFE',
    detail: /configuration/,
  });
});

test('a bundle whose data has a path that the system does not allow is refused, without a restart', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundle = createBundle(t, { source: IDLE });
  mkdirSync(bundle.dataDirectory);
  makeDeepPath(bundle.dataDirectory, 30);
  await assert.rejects(supervisor.start(bundle), {
    code: 'BUNDLE_DIRECTORY_UNSAFE',
    detail: /cannot be read: ENAMETOOLONG$/,
  });
  assert.equal(supervisor.list()[0]?.restartAtMs, undefined);
});

test('a bundle reads its own files', async (t) => {
  const { supervisor, lines } = createSupervisor(t);
  const bundle = createBundle(t, {
    source: `
      import { readFileSync } from 'node:fs';
      export function activate({ logger }) { logger.info(readFileSync(new URL('table.txt', import.meta.url), 'utf8')); }`,
  });
  writeFileSync(path.join(bundle.directory, 'table.txt'), 'rows');
  await supervisor.start(bundle);
  assert.ok(lines.some(({ fields }) => fields['message'] === 'rows'));
});

test('close stops every bundle and prevents further starts', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundles = ['a', 'b', 'c', 'd', 'e'].map((name) => createBundle(t, { source: IDLE, name }));
  await Promise.all(bundles.map((bundle) => supervisor.start(bundle)));
  const pids = supervisor.list().map(({ pid }) => pid);
  assert.ok(pids.every(isAlive));
  await supervisor.close();
  assert.ok(!pids.some(isAlive));
  await assert.rejects(supervisor.start(createBundle(t, { source: IDLE })), { code: 'BUNDLE_STOPPED' });
});

test('where the machine allows it, a bundle sees no process but its own', async (t) => {
  const { hasProcessNamespace } = await probeLaunchFeatures();
  if (!hasProcessNamespace) {
    t.skip('this machine gives no PID namespace to this user');
    return;
  }
  const { supervisor, lines } = createSupervisor(t);
  const source = `
    import { execFileSync } from 'node:child_process';
    const script = 'ls /proc | grep -c "^[0-9]"; kill -0 ${process.pid} 2>/dev/null && echo reached; exit 0';
    export function activate({ logger }) {
      const seen = execFileSync('/bin/sh', ['-c', script], { env: { PATH: '/bin' } }).toString();
      logger.info('seen', { pid: process.pid, seen });
    }`;
  await supervisor.start(createBundle(t, { source, permissions: 'child-process' }));
  const told = lines.find(({ fields }) => fields['message'] === 'seen')?.fields['fields'];
  const { pid, seen } = told as { readonly pid: number; readonly seen: string };
  assert.equal(pid, 1);
  // Itself, the shell, ls and grep.
  assert.match(seen, /^[2-4]\n$/);
});
