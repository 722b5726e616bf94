import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { listObstacles, readReleaseState } from '../../packaging/release-check.ts';
import type { ReleaseState } from '../../packaging/release-check.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-28\n\n- **New**\n\n## [1.1.0] - 2026-10-01\n';
const READY: ReleaseState = {
  version: '1.2.0',
  lockVersion: '1.2.0',
  changelog: CHANGELOG,
  changes: [],
  commit: 'a'.repeat(40),
  taggedCommit: 'a'.repeat(40),
};

const obstaclesOf = (change: Partial<ReleaseState>, isRehearsal = false): readonly string[] =>
  listObstacles({ ...READY, ...change }, isRehearsal);

test('a clean, tagged checkout whose versions agree has no obstacle', () => {
  assert.deepEqual(obstaclesOf({}), []);
});

const UNREADY: readonly (readonly [name: string, change: Partial<ReleaseState>, message: RegExp])[] = [
  ['another version in the lock file', { lockVersion: '1.1.0' }, /^package-lock\.json has version 1\.1\.0/],
  [
    'a version that is none',
    { version: '1.2', changelog: CHANGELOG.replace('1.2.0', '1.2') },
    /"1\.2" is not a sem/,
  ],
  [
    'no section for the version',
    { changelog: CHANGELOG.replace('1.2.0', '1.3.0') },
    /is not "## \[1\.2\.0\] - DATE"/,
  ],
  [
    'a section without a date',
    { changelog: CHANGELOG.replace(' - 2026-11-28', '') },
    /is not "## \[1\.2\.0\] - DATE"/,
  ],
  [
    'a date that is none',
    { changelog: CHANGELOG.replace('2026-11-28', '2026-28-11') },
    /expected YYYY-MM-DD$/,
  ],
  [
    'entries that are not released',
    { changelog: CHANGELOG.replace(']\n', ']\n\n- A\n') },
    /\[Unreleased\] is not empty/,
  ],
  [
    'no section for later entries',
    { changelog: CHANGELOG.replace('[Unreleased]', '[2.0.0]') },
    /not "## \[Unrel/,
  ],
  ['a dirty work tree', { changes: [' M a.ts', '?? b.ts'] }, /^uncommitted changes: a\.ts, b\.ts; /],
  ['no tag', { taggedCommit: undefined }, /^no tag v1\.2\.0; /],
  [
    'a tag on another commit',
    { taggedCommit: 'b'.repeat(40) },
    /^tag v1\.2\.0 is on another commit, bbbbbbbbbbbb; /,
  ],
];
for (const [name, change, message] of UNREADY) {
  test(`${name} prevents a release`, () => {
    const obstacles = obstaclesOf(change);
    assert.equal(obstacles.length, 1, obstacles.join('\n'));
    assert.match(obstacles[0] ?? '', message);
  });
}

test('all obstacles are listed at once, and many changed files only in number', () => {
  const changes = Array.from({ length: 8 }, (_, index) => `?? ${index}`);
  const obstacles = obstaclesOf({ lockVersion: '1', changes, taggedCommit: undefined });
  assert.equal(obstacles.length, 3);
  assert.match(obstacles[1] ?? '', /: 0, 1, 2, 3, 4 and 3 more;/);
});

test('a rehearsal needs no tag, but accepts none on another commit', () => {
  assert.deepEqual(obstaclesOf({ taggedCommit: undefined }, true), []);
  assert.equal(obstaclesOf({ taggedCommit: 'b'.repeat(40) }, true).length, 1);
});

/** Creates a checkout with one commit and the tag of its version. */
function createCheckout(t: Owner) {
  const folder = path.join(createTemporaryDirectory(t), 'checkout');
  mkdirSync(folder);
  const git = (...words: readonly string[]): string =>
    execFileSync(
      programOf('git'),
      [
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@example.org',
        '-c',
        'commit.gpgSign=false',
        '-c',
        'tag.gpgSign=false',
        ...words,
      ],
      { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write('package.json', '{ "version": "1.2.0" }');
  write('package-lock.json', '{ "version": "1.2.0" }');
  write('CHANGELOG.md', CHANGELOG);
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'a');
  git('tag', '--annotate', '--message', 'a', 'v1.2.0');
  return { folder, git, write };
}

test('the state of a checkout is read from its files, tag and work tree', needs('git'), (t) => {
  const { folder, git, write } = createCheckout(t);
  const commit = git('rev-parse', 'HEAD').trim();
  assert.deepEqual(readReleaseState(folder), { ...READY, commit, taggedCommit: commit });
  write('new.ts', '');
  write('CHANGELOG.md', '');
  assert.deepEqual(readReleaseState(folder).changes.toSorted(), [' M CHANGELOG.md', '?? new.ts']);
  git('add', '.');
  git('commit', '--quiet', '--message', 'b');
  assert.equal(readReleaseState(folder).taggedCommit, commit);
  git('tag', '--delete', 'v1.2.0');
  assert.equal(readReleaseState(folder).taggedCommit, undefined);
});

test('a directory that is no git checkout is named', needs('git'), (t) => {
  const folder = createTemporaryDirectory(t);
  for (const name of ['package.json', 'package-lock.json']) {
    writeFileSync(path.join(folder, name), '{ "version": "1.2.0" }');
  }
  writeFileSync(path.join(folder, 'CHANGELOG.md'), CHANGELOG);
  assert.throws(() => readReleaseState(folder), /cannot read the git checkout/);
});

test('versions and changelog of this project agree', () => {
  const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');
  const [version, lockVersion] = ['package.json', 'package-lock.json'].map(
    (name) => (JSON.parse(read(name)) as { readonly version: string }).version,
  );
  const changelog = read('CHANGELOG.md').replace(/(?<=## \[Unreleased\]\n)[^]*?(?=^## )/m, '\n');
  assert.deepEqual(obstaclesOf({ version: version ?? '', lockVersion: lockVersion ?? '', changelog }), []);
});
