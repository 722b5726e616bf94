import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { makeEnvironment } from './support/make-python-environment.ts';
import {
  completionOf,
  interpreterOf,
  locateEnvironment,
  REQUIREMENTS,
} from './support/python-environment.ts';
import { createTemporaryDirectory } from './support/temporary-directory.ts';
import { needs } from './support/tests-that-need.ts';

test(
  'makeEnvironment makes an environment once, and another one when the requirements change',
  needs('venv'),
  async (t) => {
    const cache = createTemporaryDirectory(t);
    const requirements = path.join(cache, 'requirements.txt');
    writeFileSync(requirements, '# nothing\n');
    assert.equal(makeEnvironment(cache, requirements), undefined);
    const first = locateEnvironment(cache, requirements);
    const { stdout } = await promisify(execFile)(interpreterOf(first), [
      '-c',
      'import sys; print(sys.prefix)',
    ]);
    assert.equal(stdout.trim(), first);
    const made = statSync(completionOf(first)).mtimeMs;
    assert.equal(makeEnvironment(cache, requirements), undefined);
    assert.equal(statSync(completionOf(first)).mtimeMs, made);

    writeFileSync(requirements, '# nothing else\n');
    assert.equal(makeEnvironment(cache, requirements), undefined);
    assert.notEqual(locateEnvironment(cache, requirements), first);
    assert.ok(existsSync(completionOf(locateEnvironment(cache, requirements))));
    assert.equal(existsSync(first), false);
  },
);

test(
  'makeEnvironment says where the reason stands when packages cannot be had, and tries again',
  needs('venv'),
  (t) => {
    const cache = createTemporaryDirectory(t);
    const requirements = path.join(cache, 'requirements.txt');
    writeFileSync(requirements, `penstock @ file://${cache}/absent.whl --hash=sha256:${'0'.repeat(64)}\n`);
    for (const _ of [1, 2]) {
      assert.match(
        makeEnvironment(cache, requirements) ?? '',
        /^the packages of requirements\.txt could not be installed, see \/.*\/python\.log$/,
      );
      assert.match(readFileSync(path.join(cache, 'python.log'), 'utf8'), /absent\.whl/);
      assert.equal(existsSync(completionOf(locateEnvironment(cache, requirements))), false);
    }
  },
);

test('of each package in requirements.txt the version and the hash of every file are given', () => {
  const lines = readFileSync(REQUIREMENTS, 'utf8').replaceAll('\\\n', ' ').split('\n');
  const packages = lines.filter((line) => line !== '' && !line.startsWith('#'));
  assert.ok(packages.length > 20);
  for (const line of packages) assert.match(line, /^[\w-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}/);
});

test('requirements.txt has each line of requirements.in', () => {
  const folder = path.dirname(REQUIREMENTS);
  assert.ok(readdirSync(folder).includes('requirements.in'));
  const named = readFileSync(path.join(folder, 'requirements.in'), 'utf8').match(/^[\w-]+==.*$/gm) ?? [];
  assert.ok(named.length > 0);
  const locked = readFileSync(REQUIREMENTS, 'utf8');
  for (const line of named) assert.ok(locked.includes(`\n${line} \\\n`), line);
});
