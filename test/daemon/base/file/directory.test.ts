import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { DirectoryError, ensurePrivateDirectory } from '../../../../daemon/base/file/directory.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const isUnavailable = (error: unknown): boolean =>
  error instanceof DirectoryError && error.code === 'DIRECTORY_UNAVAILABLE';

test('ensurePrivateDirectory creates missing directories, for the owner only', async (t) => {
  const top = createTemporaryDirectory(t);
  await Promise.all([1, 2, 3].map(() => ensurePrivateDirectory(path.join(top, 'a/b/c'))));
  for (const each of ['a', 'a/b', 'a/b/c']) {
    assert.equal(statSync(path.join(top, each)).mode & 0o777, 0o700, each);
  }
});

test('ensurePrivateDirectory leaves an existing directory unchanged', async (t) => {
  const directory = path.join(createTemporaryDirectory(t), 'shared');
  mkdirSync(directory);
  chmodSync(directory, 0o755);
  await ensurePrivateDirectory(directory);
  assert.equal(statSync(directory).mode & 0o777, 0o755);
});

test('ensurePrivateDirectory throws DIRECTORY_UNAVAILABLE with the directory when it cannot be created', async (t) => {
  const top = createTemporaryDirectory(t);
  writeFileSync(path.join(top, 'file'), '');
  symlinkSync(path.join(top, 'nowhere', 'nothing'), path.join(top, 'dangling'));
  for (const directory of [
    '/proc/nope',
    '/proc/nope/deeper',
    `${top}/file`,
    `${top}/file/x`,
    `${top}/dangling`,
  ]) {
    await assert.rejects(ensurePrivateDirectory(directory), (error) => {
      assert.ok(isUnavailable(error));
      assert.ok((error as DirectoryError).detail.startsWith(`cannot create ${directory}: `));
      return true;
    });
  }
});
