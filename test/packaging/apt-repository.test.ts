import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

import { makeRepositoryKey } from '../support/repository-key.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { testsThatNeed } from '../support/tests-that-need.ts';
import { programOf } from '../support/tools.ts';

const { test } = testsThatNeed('apt-ftparchive', 'gpg', 'gpgconf', 'xz');
const TOOL = path.resolve(import.meta.dirname, '../../packaging/apt-repository.ts');
const EPOCH = '1790000000';

/** A folder to build packages in, and one for the repository. */
function setUp(t: Owner) {
  const directory = createTemporaryDirectory(t);
  const [packages, out] = [path.join(directory, 'packages'), path.join(directory, 'site/apt')];
  mkdirSync(packages);
  const run = async (key: string, ...more: readonly string[]) => {
    const parameters = [TOOL, '--key', key, '--out', out, '--packages', packages, ...more];
    const child = spawn(process.execPath, parameters, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH },
    });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    return { status, output, errors };
  };
  return { directory, packages, out, run };
}

/** Builds a small package. */
function build(
  packages: string,
  version: string,
  { architecture = 'amd64', name = 'penstock', text = '' } = {},
): void {
  const tree = path.join(packages, '..', `tree-${name}-${version}-${architecture}-${text}`);
  mkdirSync(path.join(tree, 'DEBIAN'), { recursive: true });
  const control = {
    Package: name,
    Version: version,
    Architecture: architecture,
    Maintainer: 'a <a@example.org>',
    Description: `text ${text}`,
  };
  writeFileSync(
    path.join(tree, 'DEBIAN/control'),
    Object.entries(control)
      .map(([key, value]) => `${key}: ${value}\n`)
      .join(''),
  );
  const file = path.join(packages, `${name}_${version}_${architecture}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH },
    stdio: 'ignore',
  });
}

/** Returns the digest of every file of a folder. */
function digest(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(path.join(folder, name)).isFile(),
  );
  return Object.fromEntries(
    files.sort().map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(path.join(folder, name)))
        .digest('hex'),
    ]),
  );
}

function listVersions(out: string, architecture: string): readonly string[] {
  const text = readFileSync(path.join(out, `dists/stable/main/binary-${architecture}/Packages`), 'utf8');
  return [...text.matchAll(/^Version: (.*)$/gm)].map(([, version = '']) => version);
}

test('a repository has lists of each architecture, named with their digests in what is signed', async (t) => {
  const { packages, out, run, directory } = setUp(t);
  build(packages, '1.0.0');
  build(packages, '1.0.0', { architecture: 'arm64' });
  const { status, output, errors } = await run(makeRepositoryKey(t), '--valid-days', '30');
  assert.equal(status, 0, errors);
  assert.equal(
    output,
    'pool/main/p/penstock/penstock_1.0.0_amd64.deb\npool/main/p/penstock/penstock_1.0.0_arm64.deb\n',
  );
  assert.deepEqual([listVersions(out, 'amd64'), listVersions(out, 'arm64')], [['1.0.0'], ['1.0.0']]);
  const release = readFileSync(path.join(out, 'dists/stable/Release'), 'utf8');
  assert.match(
    release,
    /^Date: Mon, 21 Sep 2026 14:13:20 \+0000\nValid-Until: Wed, 21 Oct 2026 14:13:20 \+0000$/m,
  );
  assert.doesNotMatch(release, /MD5|SHA1:/);
  for (const [, sum, file = ''] of release.matchAll(/^ ([0-9a-f]{64}) +\d+ (.*)$/gm)) {
    assert.equal(
      createHash('sha256')
        .update(readFileSync(path.join(out, 'dists/stable', file)))
        .digest('hex'),
      sum,
      file,
    );
  }
  const lists = path.join(out, 'dists/stable/main/binary-arm64/Packages');
  const plain = readFileSync(lists);
  assert.deepEqual(gunzipSync(readFileSync(`${lists}.gz`)), plain);
  assert.deepEqual(execFileSync(programOf('xz'), ['--decompress', '--stdout', `${lists}.xz`]), plain);
  const home = path.join(directory, 'home');
  mkdirSync(home, { mode: 0o700 });
  const verify = (...files: readonly string[]) =>
    execFileSync(
      programOf('gpg'),
      [
        '--homedir',
        home,
        '--batch',
        '--no-default-keyring',
        '--keyring',
        path.join(out, 'penstock-archive-keyring.gpg'),
        '--verify',
        ...files.map((file) => path.join(out, 'dists/stable', file)),
      ],
      { stdio: 'ignore' },
    );
  verify('InRelease');
  verify('Release.gpg', 'Release');
});

test('the same packages, key and time give the same bytes', async (t) => {
  const key = makeRepositoryKey(t);
  const digests = [];
  for (const versions of [
    ['1.0.0', '1.10.0'],
    ['1.10.0', '1.0.0'],
  ]) {
    const { packages, out, run } = setUp(t);
    for (const version of versions) build(packages, version);
    assert.equal((await run(key)).status, 0);
    assert.equal((await run(key)).status, 0, 'again');
    digests.push(digest(out));
  }
  assert.deepEqual(digests[0], digests[1]);
});

test('a second release keeps the first', async (t) => {
  const key = makeRepositoryKey(t);
  const first = setUp(t);
  build(first.packages, '1.0.0');
  assert.equal((await first.run(key)).status, 0);
  const second = setUp(t);
  build(second.packages, '1.1.0');
  const added = await first.run(key, '--packages', second.packages);
  assert.equal(added.output, 'pool/main/p/penstock/penstock_1.1.0_amd64.deb\n');
  assert.deepEqual(listVersions(first.out, 'amd64'), ['1.0.0', '1.1.0']);
  assert.deepEqual(readdirSync(path.dirname(first.out)), ['apt']);
});

test('whatever is wrong, it is named, and nothing changes', async (t) => {
  const key = makeRepositoryKey(t);
  const { packages, out, run, directory } = setUp(t);
  const refused = async (pattern: RegExp, keyFile: string, ...more: readonly string[]) => {
    const before = existsSync(out) ? digest(out) : undefined;
    const { status, errors } = await run(keyFile, ...more);
    assert.equal(status, 1, errors);
    assert.match(errors, pattern);
    assert.match(errors, /nothing was changed/);
    assert.deepEqual(existsSync(out) ? digest(out) : undefined, before);
    const beside = existsSync(path.dirname(out)) ? readdirSync(path.dirname(out)) : [];
    assert.deepEqual(beside, before === undefined ? [] : ['apt']);
  };
  await refused(/packages holds no package/, key);
  await refused(/cannot be read/, key, '--packages', path.join(directory, 'missing'));
  build(packages, '1.0.0');
  await refused(/missing\.asc cannot be read/, path.join(directory, 'missing.asc'));
  const nonsense = path.join(directory, 'nonsense.asc');
  writeFileSync(nonsense, 'nonsense\n');
  await refused(/nonsense\.asc is no OpenPGP key/, nonsense);
  await refused(/holds 2 secret keys/, makeRepositoryKey(t, { keys: 2 }));
  await refused(/without passphrase/, makeRepositoryKey(t, { passphrase: 'closed' }));

  mkdirSync(out);
  writeFileSync(path.join(out, 'thesis.txt'), 'years of work');
  await refused(/something else than a repository/, key);

  const good = setUp(t);
  build(good.packages, '1.0.0');
  assert.equal((await good.run(key)).status, 0);
  const before = digest(good.out);
  for (const [version, options, pattern] of [
    ['1.0.0', { text: 'other' }, /another package of version 1\.0\.0/],
    ['1.0.0', { name: 'thing' }, /is no package of penstock/],
    ['1.0.0', { architecture: 'i386' }, /is no package of penstock/],
  ] as const) {
    const other = setUp(t);
    build(other.packages, version, options);
    const { status, errors } = await good.run(key, '--packages', other.packages);
    assert.deepEqual([status, pattern.test(errors)], [1, true], errors);
  }
  const broken = setUp(t);
  writeFileSync(path.join(broken.packages, 'penstock_2.0.0_amd64.deb'), 'no package');
  assert.match((await good.run(key, '--packages', broken.packages)).errors, /is no Debian package/);
  assert.deepEqual(digest(good.out), before);
});

test('a repository that was being moved into place is there again', async (t) => {
  const key = makeRepositoryKey(t);
  const { packages, out, run } = setUp(t);
  build(packages, '1.0.0');
  assert.equal((await run(key)).status, 0);
  renameSync(out, `${out}.previous`);
  const next = setUp(t);
  build(next.packages, '1.1.0');
  assert.equal((await run(key, '--packages', next.packages)).status, 0);
  assert.deepEqual(listVersions(out, 'amd64'), ['1.0.0', '1.1.0']);
});
