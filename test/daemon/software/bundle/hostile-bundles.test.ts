import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { delay, systemClock } from '../../../../daemon/base/clock.ts';
import type { Clock } from '../../../../daemon/base/clock.ts';
import { createBundle, createSupervisor, RecordingHost } from '../../../support/bundle-program.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

/** Returns a main module that tries each expression and reports each outcome to the gateway: an error code, or DONE. */
function trying(attempts: Readonly<Record<string, string>>, imports = ''): string {
  const list = Object.entries(attempts).map(
    ([name, code]) => `[${JSON.stringify(name)}, async () => ${code}]`,
  );
  return `
    import fs from 'node:fs';
    ${imports}
    export async function activate({ assets }) {
      for (const [name, attempt] of [${list.join(',\n')}]) {
        const outcome = await attempt().then(() => 'DONE', (error) => error?.cause?.code ?? error?.code ?? String(error));
        await assets.read(name, [String(outcome)]).catch(() => undefined);
      }
    }`;
}

/** Returns the outcomes that a module of `trying` reported, by name. */
function outcomes(host: RecordingHost): Readonly<Record<string, string>> {
  return Object.fromEntries(
    host.calls.map(([, params]) => {
      const { asset, channels } = params as { asset: string; channels: readonly string[] };
      return [asset, channels[0] ?? ''];
    }),
  );
}

/** Waits for conditions that send no event: the end of foreign processes, lines of a log. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await delay(systemClock, 20);
}

function processesOf(directory: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory);
    } catch {
      return false;
    }
  });
}

test('a bundle cannot read keys, other bundles or system files, and can write only its data', async (t) => {
  const host = new RecordingHost();
  const { supervisor } = createSupervisor(t, { host });
  const keys = createTemporaryDirectory(t);
  writeFileSync(path.join(keys, 'key.pem'), 'secret');
  const other = createBundle(t, { source: 'export function activate() {}', name: 'other' });
  const { directory } = other;
  const bundle = createBundle(t, {
    source: trying({
      key: `fs.readFileSync('${keys}/key.pem')`,
      other: `fs.readFileSync('${directory}/main.mjs')`,
      otherModule: `import('${directory}/main.mjs')`,
      shadow: `fs.readFileSync('/etc/shadow')`,
      environment: `fs.readFileSync('/proc/' + process.ppid + '/environ')`,
      upwards: `fs.readFileSync(import.meta.dirname + '/../../../etc/passwd')`,
      list: `fs.readdirSync('${keys}')`,
      link: `fs.symlinkSync('/etc', import.meta.dirname + '/../data/etc')`,
      hardLink: `fs.linkSync('/etc/passwd', import.meta.dirname + '/../data/passwd')`,
      rewrite: `fs.writeFileSync(import.meta.filename, '')`,
      outside: `fs.writeFileSync('/tmp/penstock-escape', '')`,
      database: `import('node:sqlite')`,
    }),
  });
  await supervisor.start(bundle);
  const { database, ...files } = outcomes(host);
  for (const [name, outcome] of Object.entries(files)) assert.equal(outcome, 'ERR_ACCESS_DENIED', name);
  assert.equal(database, 'ERR_UNKNOWN_BUILTIN_MODULE');
  assert.ok(!existsSync('/tmp/penstock-escape'));
});

test('a bundle cannot start a program, a thread or a debugger, and cannot send signals', async (t) => {
  const host = new RecordingHost();
  const { supervisor } = createSupervisor(t, { host });
  const bundle = createBundle(t, {
    source: trying(
      {
        spawn: `{ const { error } = childProcess.spawnSync('/bin/true'); if (error) throw error; }`,
        fork: `childProcess.fork(import.meta.filename)`,
        thread: `new threads.Worker('', { eval: true })`,
        inspector: `new inspector.Session().connect()`,
        execve: `process.execve('/bin/true', ['true'], {})`,
        kill: `process.kill(process.ppid, 'SIGKILL')`,
        killBelow: `process._kill(process.ppid, 9)`,
        debug: `process._debugProcess(process.ppid)`,
        priority: `setPriority(process.ppid, 19)`,
        flags: `v8.setFlagsFromString('--allow-natives-syntax')`,
        binding: `process.binding('tcp_wrap')`,
        addon: `process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6')`,
        restore: `delete process.kill || Object.defineProperty(process, 'kill', { value: 1 })`,
      },
      `import childProcess from 'node:child_process'; import threads from 'node:worker_threads';
       import inspector from 'node:inspector'; import { setPriority } from 'node:os'; import v8 from 'node:v8';`,
    ),
  });
  await supervisor.start(bundle);
  const { restore, ...others } = outcomes(host);
  for (const [name, outcome] of Object.entries(others)) assert.equal(outcome, 'ERR_ACCESS_DENIED', name);
  assert.match(restore ?? '', /TypeError/);
});

test('a bundle without the permission net reaches neither the network nor a local socket', async (t) => {
  const host = new RecordingHost();
  const { supervisor } = createSupervisor(t, { host });
  const event = (made: string, good: string) =>
    `new Promise((resolve, reject) => { const it = ${made}; it.once('error', reject); it.once('${good}', resolve); })`;
  const bundle = createBundle(t, {
    source: trying(
      {
        tcp: event(`net.connect(9, '127.0.0.1')`, 'connect'),
        tcp6: event(`net.connect(9, '::1')`, 'connect'),
        listen: event(`net.createServer().listen(0)`, 'listening'),
        unix: event(`net.connect('/run/penstock/penstock.sock')`, 'connect'),
        abstract: event(`net.createServer().listen('\\0abstract')`, 'listening'),
        tls: event(`tls.connect(443, '127.0.0.1')`, 'secureConnect'),
        http: event(`http.get('http://127.0.0.1:8080')`, 'response'),
        fetch: `fetch('http://127.0.0.1:8080')`,
        udp: event(`dgram.createSocket('udp4').bind(0)`, 'listening'),
        send: `new Promise((resolve, reject) => { dgram.createSocket('udp4').on('error', reject).send('x', 53, '127.0.0.1', resolve); })`,
        lookup: `dns.promises.lookup('example.com')`,
        resolve: `dns.promises.resolve('example.com')`,
      },
      `import net from 'node:net'; import tls from 'node:tls'; import http from 'node:http';
       import dgram from 'node:dgram'; import dns from 'node:dns';`,
    ),
  });
  await supervisor.start(bundle);
  for (const [name, outcome] of Object.entries(outcomes(host))) assert.equal(outcome, 'EACCES', name);
  assert.equal(host.calls.length, 12);
});

test('a bundle with the permission net reaches the network, but no local socket', async (t) => {
  const host = new RecordingHost();
  const { supervisor } = createSupervisor(t, { host });
  const bundle = createBundle(t, {
    permissions: 'net',
    source: trying(
      {
        tcp: `new Promise((resolve, reject) => {
          const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1', () =>
            net.connect(server.address().port, '127.0.0.1').on('connect', resolve).on('error', reject));
        })`,
        unix: `new Promise((resolve, reject) => net.connect('/run/penstock/penstock.sock').on('error', reject))`,
      },
      `import net from 'node:net';`,
    ),
  });
  await supervisor.start(bundle);
  assert.deepEqual(outcomes(host), { tcp: 'DONE', unix: 'EACCES' });
});

test('a bundle with the permission child-process leaves no process behind', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundle = createBundle(t, {
    permissions: 'child-process',
    source: `
      import { spawn } from 'node:child_process';
      export function activate({ bundle }) {
        for (let index = 0; index < 5; index += 1) {
          spawn('/bin/sh', ['-c', 'trap "" TERM; while :; do sleep 1; done', bundle.dataDirectory], { stdio: 'ignore' });
        }
      }`,
  });
  await supervisor.start(bundle);
  // A shell that starts `sleep` is briefly two processes.
  assert.ok(processesOf(bundle.dataDirectory).length >= 6);
  await supervisor.stop(bundle.id);
  await until(() => processesOf(bundle.dataDirectory).length === 0);
});

test('a bundle that spins runs at the lowest priority and is ended', async (t) => {
  const { supervisor, awaitStatus } = createSupervisor(t, { limits: { heartbeatDeadlineMs: 500 } });
  const bundle = createBundle(t, {
    source: 'export function activate() { setTimeout(() => { for (;;); }, 100); }',
  });
  await supervisor.start(bundle);
  const pid = supervisor.list()[0]?.pid ?? 0;
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  // proc_pid_stat(5): nice is the 19th field, the 17th after the name.
  assert.equal(fields.split(' ')[16], '19');
  const failed = await awaitStatus(({ state }) => state === 'FAILED');
  assert.match(failed.cause ?? '', /did not respond/);
  assert.ok(!existsSync(`/proc/${pid}`));
});

test('the session of a bundle, a separate scheduler group, has the lowest priority too', async (t) => {
  const { supervisor } = createSupervisor(t);
  await supervisor.start(
    createBundle(t, { source: 'export function activate() { setInterval(() => {}, 1000); }' }),
  );
  const autogroup = `/proc/${supervisor.list()[0]?.pid ?? 0}/autogroup`;
  if (!existsSync(autogroup)) return t.skip('this kernel has no autogroups');
  await until(() => readFileSync(autogroup, 'utf8').endsWith(' nice 19\n'));
});

test('a bundle that leaks JavaScript objects ends at its heap limit', async (t) => {
  const { supervisor, awaitStatus } = createSupervisor(t);
  const source = `
    export function activate() {
      const kept = [];
      setInterval(() => { for (let i = 0; i < 1e5; i += 1) kept.push({ i, text: 'x'.repeat(10) + i }); }, 1);
    }`;
  await assert.rejects(
    supervisor.start(createBundle(t, { source })).then(async () => {
      const { cause } = await awaitStatus(({ state }) => state === 'FAILED');
      throw new Error(cause);
    }),
    /ended by SIG|MiB of memory/,
  );
});

test('a bundle that leaks buffers is ended at the limit of its resident memory', async (t) => {
  const { supervisor, awaitStatus } = createSupervisor(t);
  const source = `
    export function activate() {
      const kept = [];
      setInterval(() => kept.push(Buffer.alloc(4e6, 1)), 10);
    }`;
  await supervisor.start(createBundle(t, { source }));
  const { cause } = await awaitStatus(({ state }) => state === 'FAILED');
  assert.match(cause ?? '', /MiB of memory/);
});

test('a bundle that allocates much memory at once receives an error itself', async (t) => {
  const host = new RecordingHost();
  const { supervisor } = createSupervisor(t, { host });
  await supervisor.start(createBundle(t, { source: trying({ memory: 'Buffer.alloc(2e9)' }) }));
  assert.notEqual(outcomes(host)['memory'], 'DONE');
});

for (const { name, statement } of [
  { name: 'its output', statement: `process.stdout.write('x\\n'.repeat(1000))` },
  { name: 'its logger', statement: `logger.error('x'.repeat(1000))` },
]) {
  test(`a bundle that floods the log through ${name} writes few lines and a count of the suppressed ones`, async (t) => {
    const { supervisor, lines } = createSupervisor(t);
    const bundle = createBundle(t, {
      source: `
        export async function activate({ logger }) {
          for (let index = 0; index < 300; index += 1) {
            ${statement};
            if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
          }
          setInterval(() => ${statement}, 5);
        }`,
    });
    const startMs = performance.now();
    await supervisor.start(bundle);
    await until(() => lines.some(({ event }) => event === 'bundle.logSuppressed'));
    await supervisor.stop(bundle.id);
    const seconds = (performance.now() - startMs) / 1000;
    const written = lines.filter(({ event }) => event === 'bundle.logged').length;
    assert.ok(written <= 101 + 10 * seconds, `${written} lines in ${seconds} s`);
  });
}

test('a bundle that floods the gateway with messages is slowed down', async (t) => {
  const host = new RecordingHost();
  const { supervisor } = createSupervisor(t, { host, limits: { heartbeatDeadlineMs: 1000 } });
  const bundle = createBundle(t, {
    source: `
      export function activate({ assets }) {
        setInterval(() => {
          for (let index = 0; index < 5000; index += 1) assets.read('line').catch(() => undefined);
        }, 5);
      }`,
  });
  const startMs = performance.now();
  await supervisor.start(bundle);
  await until(() => host.calls.length >= 1000);
  await supervisor.stop(bundle.id);
  const seconds = (performance.now() - startMs) / 1000;
  assert.ok(host.calls.length < 200 + 2100 * seconds, `${host.calls.length} calls in ${seconds} s`);
});

for (const { name, bytes } of [
  { name: 'of an invalid message length', bytes: `Buffer.from([0xff, 0xff, 0xff, 0xff])` },
  { name: 'that are not JSON', bytes: `Buffer.from([0, 0, 0, 2, 0x7b, 0x7b])` },
  {
    name: 'of an unknown message kind',
    bytes: `Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from('{}')])`,
  },
]) {
  test(`a bundle that sends bytes ${name} is ended`, async (t) => {
    const { supervisor, awaitStatus } = createSupervisor(t);
    const source = `
      import { writeSync } from 'node:fs';
      export function activate() { setTimeout(() => writeSync(3, ${bytes}), 200); }`;
    // On a busy machine they come before its start is answered, which then fails with it.
    await Promise.allSettled([supervisor.start(createBundle(t, { source }))]);
    await awaitStatus(({ state }) => state === 'FAILED');
  });
}

test('a bundle that never completes a message is ended', async (t) => {
  const { supervisor, awaitStatus } = createSupervisor(t, { limits: { heartbeatDeadlineMs: 500 } });
  const source = `
    import { writeSync } from 'node:fs';
    export function activate() { setTimeout(() => writeSync(3, Buffer.from([0, 15, 0, 0, 1])), 100); }`;
  await supervisor.start(createBundle(t, { source }));
  const { cause } = await awaitStatus(({ state }) => state === 'FAILED');
  assert.match(cause ?? '', /did not respond/);
});

test('a bundle that ignores SIGTERM is ended nevertheless', async (t) => {
  const { supervisor } = createSupervisor(t);
  const bundle = createBundle(t, {
    source: `
      process.on('SIGTERM', () => {});
      export function activate() {}
      export function deactivate() { return new Promise(() => {}); }`,
  });
  await supervisor.start(bundle);
  const pid = supervisor.list()[0]?.pid;
  await supervisor.stop(bundle.id);
  assert.ok(!existsSync(`/proc/${pid}`));
});

test('a bundle that exits at once is abandoned after five consecutive exits', async (t) => {
  // The clock shortens the pauses between the starts; the limits of the bundle stay long.
  const clock: Clock = { ...systemClock, schedule: (ms, action) => systemClock.schedule(ms / 50, action) };
  const { supervisor, awaitStatus, lines } = createSupervisor(t, {
    clock,
    limits: { activationMs: 20_000_000, terminationMs: 20_000_000 },
  });
  const bundle = createBundle(t, { source: 'process.exit(7);' });
  await assert.rejects(supervisor.start(bundle), { detail: /status 7/ });
  await awaitStatus(({ state, restartAtMs }) => state === 'FAILED' && restartAtMs === undefined);
  assert.equal(supervisor.stateOf(bundle.id), 'FAILED');
  assert.equal(lines.filter(({ event }) => event === 'bundle.exited').length, 4);
  assert.equal(lines.filter(({ event }) => event === 'bundle.failed').length, 1);
});

test('bundles end with the gateway, even when it is killed', async (t) => {
  const bundle = createBundle(t, {
    source: 'export function activate() { setTimeout(() => { for (;;); }, 50); }',
  });
  mkdirSync(bundle.dataDirectory);
  const program = path.join(import.meta.dirname, '../../../support/bundle-program-gateway.ts');
  const gateway = spawn(process.execPath, [program, JSON.stringify(bundle)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => gateway.stdout.once('data', resolve));
  assert.ok(processesOf(bundle.dataDirectory).length > 1);
  const gone = new Promise((resolve) => gateway.once('exit', resolve));
  gateway.kill('SIGKILL');
  await gone;
  await until(() => processesOf(bundle.dataDirectory).length === 0);
});
