import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isNeeded } from '../../packaging/prune.ts';

const amd64 = { debian: 'amd64', node: 'x64' };
const arm64 = { debian: 'arm64', node: 'arm64' };

test('isNeeded keeps programs, descriptions and licences', () => {
  for (const file of [
    'zod/index.js',
    'zod/package.json',
    'zod/LICENSE',
    'a/lib/b.cjs',
    'a/NOTICE.md',
    'a/data.json',
  ]) {
    assert.equal(isNeeded(file, amd64), true, file);
  }
});

test('isNeeded excludes files that are not loaded at run time', () => {
  const files = [
    'zod/index.d.ts',
    'a/b.js.map',
    'a/README.md',
    'a/test/b.js',
    'a/.eslintrc.js',
    'a/src/b.cc',
    'a/nothing.c',
    'a/common.gypi',
    'a/tools/check-napi.js',
    'a/b.ts',
  ];
  for (const file of files) assert.equal(isNeeded(file, amd64), false, file);
});

test('isNeeded keeps a module whose name is that of an excluded folder', () => {
  assert.equal(isNeeded('docs/index.js', amd64), true);
  assert.equal(isNeeded('@scope/test/index.js', amd64), true);
  assert.equal(isNeeded('a/node_modules/examples/index.js', amd64), true);
  assert.equal(isNeeded('a/node_modules/b/examples/index.js', amd64), false);
  assert.equal(isNeeded('yaml/dist/doc/directives.js', amd64), true);
});

test('isNeeded keeps the native file for the given machine and the C library of Debian', () => {
  const prebuild = (folder: string, name: string) => `@serialport/bindings-cpp/prebuilds/${folder}/${name}`;
  const glibc = '@serialport+bindings-cpp.glibc.node';
  assert.equal(isNeeded(prebuild('linux-x64', glibc), amd64), true);
  assert.equal(isNeeded(prebuild('linux-arm64', glibc), amd64), false);
  assert.equal(isNeeded(prebuild('linux-arm64', glibc), arm64), true);
  assert.equal(isNeeded(prebuild('linux-x64', '@serialport+bindings-cpp.musl.node'), amd64), false);
  assert.equal(isNeeded(prebuild('darwin-x64+arm64', '@serialport+bindings-cpp.node'), amd64), false);
});
