import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';
import { explainChange, listChangedFiles, nameMeasuredCommit, selectMeasured } from './changed-files.ts';

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
const SCENARIO = { name: 'reads', measures: ['daemon/plant'] };
const FILES = {
  'test/bench/scenarios/reads.ts': `import { load } from '../load.ts';\nimport { READS } from '../measured.ts';`,
  'test/bench/load.ts': '',
  'test/bench/measured.ts': '',
  'test/bench/other.ts': '',
  'daemon/plant/asset.ts': '',
  'daemon/cli/main.ts': '',
};

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}

/** Creates a repository with one commit. */
function createRepository(t: TestContext): { readonly root: string; readonly commit: string } {
  const root = createTemporaryDirectory(t);
  write(root, FILES);
  const git = (...words: readonly string[]): string =>
    execFileSync(programOf('git'), [...AUTHOR, ...words], { cwd: root, encoding: 'utf8' }).trim();
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  return { root, commit: git('rev-parse', '--short=10', 'HEAD') };
}

test(
  'a scenario measures its places, and needs what its file imports but the lists of places',
  needs('git'),
  (t) => {
    const { root } = createRepository(t);
    assert.deepEqual(selectMeasured(SCENARIO, Object.keys(FILES), root), [
      'test/bench/scenarios/reads.ts',
      'test/bench/load.ts',
      'daemon/plant/asset.ts',
    ]);
  },
);

test('files that changed since a commit are those of the work tree, new ones included', needs('git'), (t) => {
  const { root, commit } = createRepository(t);
  assert.deepEqual(listChangedFiles(commit, root), []);
  write(root, { 'daemon/cli/main.ts': 'changed', 'daemon/plant/new.ts': '' });
  assert.deepEqual(listChangedFiles(commit, root), ['daemon/cli/main.ts', 'daemon/plant/new.ts']);
  assert.equal(listChangedFiles('0123456789', root), undefined);
});

test('a run is of a commit, and of more than it when what is measured differs', needs('git'), (t) => {
  const { root, commit } = createRepository(t);
  write(root, { 'daemon/cli/main.ts': 'changed' });
  assert.equal(nameMeasuredCommit(SCENARIO, root), commit);
  write(root, { 'test/bench/load.ts': 'changed' });
  assert.equal(nameMeasuredCommit(SCENARIO, root), `${commit}+`);
  assert.equal(nameMeasuredCommit(SCENARIO, createTemporaryDirectory(t)), '');
});

test('the last run shows these sources unless what it measured changed', needs('git'), (t) => {
  const { root, commit } = createRepository(t);
  const explain = (of: string | undefined, files: readonly string[] | undefined): string | undefined =>
    explainChange(SCENARIO, of, () => files, root);
  assert.equal(explain(commit, ['daemon/cli/main.ts', 'test/bench/other.ts']), undefined);
  assert.equal(explain(commit, ['daemon/plant/asset.ts']), `daemon/plant/asset.ts changed since ${commit}`);
  assert.equal(
    explain(commit, ['daemon/plant/asset.ts', 'test/bench/load.ts']),
    `daemon/plant/asset.ts and 1 more files changed since ${commit}`,
  );
  assert.match(explain(commit, undefined) ?? '', /no commit/);
  assert.match(explain(`${commit}+`, []) ?? '', /no commit has/);
  assert.match(explain(undefined, []) ?? '', /no run/);
  assert.match(explain('', []) ?? '', /no run/);
});
