import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { findNamespaceObstacle, inNetworkNamespace } from '../support/attempts/in-namespaces.ts';
import { startGateway } from '../support/gateway.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { findProgram, sourceOf } from '../support/programs.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const obstacle = findNamespaceObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };
const DEBUGGER = /Debugger listening/;

/** Lays the launcher, the runtime and the daemon out as the package does. */
async function layOut(t: Owner): Promise<string> {
  const library = createTemporaryDirectory(t);
  const launcher = path.join(library, 'bin', 'penstockd');
  await mkdir(path.dirname(launcher));
  await mkdir(path.join(library, 'daemon'));
  await copyFile(path.join(ROOT, 'systemd', 'penstockd'), launcher);
  await symlink(process.execPath, path.join(library, 'bin', 'node'));
  await writeFile(path.join(library, 'package.json'), '{"type": "module"}');
  const main = JSON.stringify(findProgram('daemon/main'));
  await writeFile(path.join(library, 'daemon', 'main.js'), `await import(${main});\n`);
  return launcher;
}

test('SIGUSR1 opens no debugger in a running daemon, which goes on', options, async (t) => {
  const gateway = await startGateway(t, { command: inNetworkNamespace([await layOut(t)]) });
  gateway.process.kill('SIGUSR1');
  // A signal that is handled after it.
  const reloaded = await gateway.reload({});
  assert.equal(reloaded.event, 'reloaded');
  const listening = readFileSync(`/proc/${gateway.process.pid ?? 0}/net/tcp`, 'utf8');
  // 9229, in hexadecimal digits.
  assert.doesNotMatch(listening, /:240D /);
  assert.equal(await gateway.stop(), 0);
  assert.doesNotMatch(gateway.errors(), DEBUGGER);
});

test(
  'SIGUSR1 would open a debugger in a daemon that Node.js started without the option',
  options,
  async (t) => {
    const gateway = await startGateway(t, {
      command: inNetworkNamespace([process.execPath, sourceOf('daemon/main')]),
    });
    gateway.process.kill('SIGUSR1');
    while (!DEBUGGER.test(gateway.errors())) await pause(20);
  },
);

test('every command that starts Node.js for the gateway turns the debugger signal off', () => {
  const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
  const { scripts } = JSON.parse(read('package.json')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const commands = [
    ...['start', 'daemon', 'cli'].map((name) => scripts[name] ?? ''),
    ...['systemd/penstock', 'systemd/penstockd'].map(read),
    ...[
      'daemon/base/process/run-in-child.ts',
      'daemon/cli/demo/child.ts',
      'daemon/software/bundle/process/launch-command.ts',
    ].map(read),
  ];
  for (const command of commands) assert.ok(command.includes('--disable-sigusr1'), command);
});
