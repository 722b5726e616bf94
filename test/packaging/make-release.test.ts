import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { makeRepositoryKey } from '../support/repository-key.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { testsThatNeed } from '../support/tests-that-need.ts';

const { test } = testsThatNeed('apt-ftparchive', 'git', 'gpg', 'gpgconf', 'xz');
const ROOT = path.resolve(import.meta.dirname, '../..');

/** Makes a release that cannot succeed, because its output exists. */
function release(out: string, key: string) {
  const words = [
    'packaging/make-release.ts',
    '--rehearsal',
    '--key',
    key,
    '--out',
    out,
    '--repository',
    `${out}/apt`,
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: '1790000000' },
  });
  return { status, output: stdout, errors: stderr };
}

test('an existing output and an unusable key end a release before anything is built', (t) => {
  const out = createTemporaryDirectory(t);
  const missing = path.join(out, 'missing.asc');
  const { status, output, errors } = release(out, missing);
  assert.deepEqual([status, output], [1, '']);
  assert.match(errors, /^cannot release \d+\.\d+\.\d+:\n/);
  assert.ok(errors.includes(`  the key file ${missing} cannot be read\n`), errors);
  assert.ok(errors.includes(`  ${out} already exists; remove it or choose another --out\n`), errors);
  assert.doesNotMatch(errors, /bundles the programs|\n {4}at /);

  const noKey = path.join(out, 'text.asc');
  writeFileSync(noKey, 'no key');
  assert.match(release(out, noKey).errors, /text\.asc is no OpenPGP key\n/);
  assert.doesNotMatch(release(out, makeRepositoryKey(t)).errors, /archive-key/);
  assert.equal(existsSync(path.join(out, 'apt')), false);
});
