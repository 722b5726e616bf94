import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';

import { findFreePort, findFreePorts } from '../support/free-ports.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { startServiceManager } from '../support/service-manager.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';
import { findProgram } from '../support/programs.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Lays the launcher, the runtime and the daemon out as the package does. */
async function layOut(t: Owner): Promise<string> {
  const library = createTemporaryDirectory(t);
  await mkdir(path.join(library, 'bin'));
  await mkdir(path.join(library, 'daemon'));
  const launcher = path.join(library, 'bin', 'penstockd');
  await copyFile(path.join(ROOT, 'systemd', 'penstockd'), launcher);
  await symlink(process.execPath, path.join(library, 'bin', 'node'));
  await writeFile(path.join(library, 'package.json'), '{"type": "module"}');
  await writeFile(
    path.join(library, 'daemon', 'main.js'),
    `await import(${JSON.stringify(findProgram('daemon/main'))});\n`,
  );
  const link = path.join(createTemporaryDirectory(t), 'penstockd');
  await symlink(launcher, link);
  return link;
}

test(
  'the service manager hears of start, reload, life and stop from the main process itself',
  needs('python3'),
  async (t) => {
    const manager = await startServiceManager(t);
    const gateway = await startGateway(t, {
      command: [await layOut(t)],
      environment: { NOTIFY_SOCKET: manager.socket, WATCHDOG_USEC: '2000000' },
    });
    const ready = await manager.received('READY=1');
    assert.deepEqual(ready.assignments, [
      'READY=1',
      `STATUS=Serving on ports ${gateway.httpsPorts[0]}, ${gateway.clientAuthPorts[0]}`,
    ]);
    await manager.received('WATCHDOG=1', manager.notifications.indexOf(ready));

    const before = manager.notifications.length;
    await gateway.reload({});
    const reloading = await manager.received('RELOADING=1', before);
    assert.match(reloading.assignments[1] ?? '', /^MONOTONIC_USEC=\d+$/);
    await manager.received('READY=1', manager.notifications.indexOf(reloading));

    assert.equal(await gateway.stop(), 0);
    await manager.received('STOPPING=1');
    const senders = new Set(manager.notifications.map(({ pid }) => pid));
    assert.deepEqual([...senders], [gateway.process.pid]);
  },
);

test('the service manager hears why a start failed, and why a reload did', needs('python3'), async (t) => {
  const manager = await startServiceManager(t);
  const command = [await layOut(t)];
  const environment = { NOTIFY_SOCKET: manager.socket };
  const gateway = await startGateway(t, { command, environment });
  const config = { http: { httpsPorts: gateway.httpsPorts } };
  await assert.rejects(startGateway(t, { command, environment, config }));
  await manager.received(
    `STATUS=port ${gateway.httpsPorts[0]} is in use by node (process ${gateway.process.pid})`,
  );

  await gateway.reload({ log: { level: 'loud' } });
  const { assignments } = await manager.received('READY=1', manager.notifications.length - 1);
  assert.match(
    assignments.join('\n'),
    /STATUS=Serving on ports .*; not reloaded: .*penstock\.yaml:\d+: log\.level/,
  );
});

test(
  'without a descriptor READY goes through systemd-notify(1)',
  needs('python3', 'systemd-notify'),
  async (t) => {
    const manager = await startServiceManager(t);
    await startGateway(t, { environment: { NOTIFY_SOCKET: manager.socket, WATCHDOG_USEC: '2000000' } });
    const { assignments } = await manager.received('READY=1');
    assert.match(
      assignments.find((assignment) => assignment.startsWith('STATUS=')) ?? '',
      /Serving on ports/,
    );
  },
);

test('an abstract address of the service manager works, and one that is gone does not keep the daemon', async (t) => {
  const gateway = await startGateway(t, {
    command: [await layOut(t)],
    environment: { NOTIFY_SOCKET: '@penstock-test-nobody' },
  });
  assert.equal(await gateway.stop(), 0);
  assert.match(gateway.errors(), /cannot reach the service manager/);
});

/** Has systemd's own tool listen and start the daemon with the first connection. */
async function activate(t: Owner, ports: readonly number[], http: object): Promise<void> {
  const configFile = path.join(createTemporaryDirectory(t), 'penstock.yaml');
  const listeners = { host: '127.0.0.1', ports: [], httpsPorts: [], httpsClientAuthPorts: [], ...http };
  await writeFile(configFile, JSON.stringify({ dataDirectory: 'data', http: listeners }));
  const command = [process.execPath, findProgram('daemon/main'), '--config', configFile];
  const sockets = ports.flatMap((port) => ['-l', `127.0.0.1:${port}`]);
  const activator = spawn(programOf('systemd-socket-activate'), [...sockets, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(async () => {
    const exited = once(activator, 'exit');
    activator.kill('SIGTERM');
    await exited;
  });
  await once(activator.stderr, 'data');
}

test(
  'a socket that systemd listens on is used, and connections made before the start are answered',
  needs('systemd-socket-activate'),
  async (t) => {
    const port = await findFreePort();
    await activate(t, [port], { httpsPorts: [port] });
    const answer = await send({ port }, 'GET', '/services/session/v1/authenticationInfo');
    assert.equal(answer.status, 200);
  },
);

test(
  'a socket of systemd that is not configured, or that no authority protects, closes its connections',
  needs('systemd-socket-activate'),
  async (t) => {
    const [port = 0, stray = 0, clientAuth = 0] = await findFreePorts(3);
    await activate(t, [port, stray, clientAuth], { httpsPorts: [port], httpsClientAuthPorts: [clientAuth] });
    await send({ port }, 'GET', '/services/session/v1/authenticationInfo');
    for (const closed of [stray, clientAuth]) {
      await new Promise<void>((resolve) => {
        const socket = connect(closed, '127.0.0.1', () => socket.write('x'));
        socket.on('error', () => undefined).on('close', () => resolve());
      });
    }
  },
);
