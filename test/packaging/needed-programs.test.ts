import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { ARCHITECTURES } from '../../packaging/architecture.ts';
import { describeMissingPrograms } from '../../packaging/needed-programs.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BOTH = Object.values(ARCHITECTURES);

/** Returns a folder with programs of these names. */
function layPrograms(t: Owner, names: readonly string[], text = ''): string {
  const folder = createTemporaryDirectory(t);
  for (const name of names) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  return folder;
}

test('describeMissingPrograms names each program that is missing, and the packages that bring them', (t) => {
  const all = ['npm', 'x86_64-linux-gnu-strip', 'aarch64-linux-gnu-strip', 'dpkg-deb', 'git'];
  assert.equal(describeMissingPrograms(BOTH, { PATH: layPrograms(t, all) }), undefined);
  assert.equal(
    describeMissingPrograms(BOTH, { PATH: layPrograms(t, ['dpkg-deb', 'npm']) }),
    'missing: x86_64-linux-gnu-strip, aarch64-linux-gnu-strip, git; ' +
      'apt-get install binutils-x86-64-linux-gnu binutils-aarch64-linux-gnu git',
  );
  const amd64 = BOTH.find(({ debian }) => debian === 'amd64');
  assert.ok(amd64 !== undefined);
  const own = ['npm', 'x86_64-linux-gnu-strip', 'dpkg-deb'];
  const environment = { PATH: layPrograms(t, own), SOURCE_DATE_EPOCH: '0' };
  assert.equal(describeMissingPrograms([amd64], environment), undefined);
});

function buildPackages(t: Owner, folder: string) {
  const output = path.join(createTemporaryDirectory(t), 'output');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['packaging/build-deb.ts', '--output', output],
    {
      cwd: ROOT,
      env: { PATH: folder },
      encoding: 'utf8',
    },
  );
  assert.deepEqual([status, stdout, existsSync(output)], [1, '', false]);
  return stderr;
}

test('a build of packages that lacks a program ends before it does anything', (t) => {
  assert.match(
    buildPackages(t, layPrograms(t, ['dpkg-deb', 'git'])),
    /^missing: .*strip, .*strip, npm; apt-get install .*binutils.* npm\n$/,
  );
});

test('an npm that installs for its own architecture only is named before anything is built', (t) => {
  const programs = BOTH.map(({ stripCommand }) => stripCommand);
  const folder = layPrograms(t, [...programs, 'dpkg-deb', 'git', 'npm'], 'echo undefined');
  assert.match(
    buildPackages(t, folder),
    /^npm undefined installs no modules for (?:arm64|amd64); use npm .+\n$/,
  );
});
