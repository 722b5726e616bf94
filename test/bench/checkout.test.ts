import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';
import { buildCommit, CheckoutError, findCommit, tryStart } from './checkout.ts';

// Starts the runtime that lies beside it, as the real one does.
const LAUNCHER = '#!/bin/sh\nexec "${0%/*}/node" --max-semi-space-size=2 main.js\n';
const BUILDS = `mkdir -p build/program/daemon && cp main.js build/program/daemon/`;

/** Creates a repository whose only commit has a build of its own, and a module that is installed. */
function createRepository(t: Owner, build: string, main = ''): string {
  const root = createTemporaryDirectory(t);
  const git = (...words: readonly string[]): void => {
    const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
    execFileSync(programOf('git'), [...author, ...words], { cwd: root, stdio: 'ignore' });
  };
  const scripts = { build };
  writeFileSync(
    path.join(root, 'package.json'),
    JSON.stringify({ name: 'gateway', type: 'module', scripts }),
  );
  writeFileSync(path.join(root, 'package-lock.json'), '{}');
  writeFileSync(path.join(root, 'main.js'), main);
  mkdirSync(path.join(root, 'systemd'));
  writeFileSync(path.join(root, 'systemd/penstockd'), LAUNCHER);
  git('init');
  git('add', '--all');
  git('commit', '--message', 'gateway');
  mkdirSync(path.join(root, 'node_modules/.cache'), { recursive: true });
  mkdirSync(path.join(root, 'node_modules/module'));
  writeFileSync(path.join(root, 'node_modules/module/index.js'), '');
  writeFileSync(path.join(root, 'node_modules/.cache/kept'), '');
  return root;
}

/** An owner that ends when the test says so. */
function createOwner(): Owner & { end(): Promise<void> } {
  const cleanUps: (() => void | Promise<void>)[] = [];
  return {
    after: (cleanUp) => void cleanUps.push(cleanUp),
    async end() {
      for (const cleanUp of cleanUps) await cleanUp();
    },
  };
}

test('findCommit returns the whole hash, and undefined for what is no commit', needs('git'), (t) => {
  const root = createRepository(t, BUILDS);
  assert.match(findCommit('HEAD', root) ?? '', /^[\da-f]{40}$/);
  for (const name of ['nothing', '--all', '', 'HEAD:main.js'])
    assert.equal(findCommit(name, root), undefined);
});

test(
  'buildCommit builds a commit with the modules of the sources, linked and without what tools keep there',
  needs('git'),
  async (t) => {
    const root = createRepository(t, BUILDS);
    const owner = createOwner();
    const { daemon } = await buildCommit(owner, 'HEAD', root);
    const [option, main = ''] = daemon;
    const directory = path.resolve(main, '../../../..');
    assert.equal(option, '--max-semi-space-size=2');
    assert.ok(existsSync(main));
    const module = statSync(path.join(directory, 'node_modules/module/index.js'));
    assert.equal(module.ino, statSync(path.join(root, 'node_modules/module/index.js')).ino);
    assert.equal(existsSync(path.join(directory, 'node_modules/.cache')), false);
    await owner.end();
    assert.deepEqual(readdirSync(path.join(root, 'build')), []);
  },
);

test('buildCommit installs modules by the lock of the commit when it differs', needs('git'), async (t) => {
  const root = createRepository(t, BUILDS);
  writeFileSync(path.join(root, 'package-lock.json'), '{ }');
  const { daemon } = await buildCommit(t, 'HEAD', root);
  const directory = path.resolve(daemon.at(-1) ?? '', '../../../..');
  assert.equal(existsSync(path.join(directory, 'node_modules/module')), false);
});

test('buildCommit names the commit and what failed', needs('git'), async (t) => {
  const cases = [
    ['echo no such compiler; exit 1', /^HEAD: npm run build failed\n[^]*no such compiler/],
    ['true', /^HEAD: no build\/program\/daemon\/main\.js after npm run build; its program lies elsewhere$/],
  ] as const;
  for (const [build, message] of cases) {
    await assert.rejects(buildCommit(t, 'HEAD', createRepository(t, build)), (error) => {
      assert.ok(error instanceof CheckoutError);
      assert.match(error.message, message);
      return true;
    });
  }
});

test('tryStart names a commit whose program does not start', needs('git'), async (t) => {
  const root = createRepository(t, BUILDS, 'console.error("no such setting"); process.exitCode = 1;');
  const program = await buildCommit(t, 'HEAD', root);
  await assert.rejects(tryStart(t, program, 'HEAD'), (error) => {
    assert.ok(error instanceof CheckoutError);
    assert.match(error.message, /^HEAD: its program does not start: [^]*no such setting/);
    return true;
  });
});

test(
  'the end of the owner stops a build that is under way and removes its directory',
  needs('git'),
  async (t) => {
    const root = createRepository(t, 'touch ../started; sleep 60');
    const owner = createOwner();
    const building = buildCommit(owner, 'HEAD', root);
    const failed = assert.rejects(building, { name: 'AbortError' });
    while (!existsSync(path.join(root, 'build/started')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await owner.end();
    await failed;
    assert.deepEqual(readdirSync(path.join(root, 'build')), ['started']);
  },
);
