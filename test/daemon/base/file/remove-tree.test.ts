import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { removeTree } from '../../../../daemon/base/file/remove-tree.ts';
import { releaseAfter, releaseImmutable, setImmutable } from '../../../support/immutable-file.ts';
import { IS_ROOT, WITH_ROOT } from '../../../support/root.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const run = promisify(execFile);
const PROGRAM = path.resolve(import.meta.dirname, '../../../support/hostile-tree.ts');
const NOBODY = 65_534;

/** The programs before a command that make it run as an ordinary user, and as root where that is possible. */
const USERS: Readonly<Record<string, readonly string[]>> = IS_ROOT
  ? {
      'an ordinary user': ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'],
      root: ['env'],
    }
  : { 'an ordinary user': ['env'] };

for (const [user, [program = '', ...given]] of Object.entries(USERS)) {
  for (const kind of [
    'directories without rights',
    'a path longer than the system allows',
    'names that are not UTF-8',
    'a hundred thousand files',
    'pipes, sockets and links',
    'a link in its place',
  ]) {
    test(`removeTree removes a directory with ${kind}, as ${user}`, async (t) => {
      const place = createTemporaryDirectory(t);
      const outside = path.join(place, 'outside');
      mkdirSync(path.join(outside, 'folder'), { recursive: true });
      writeFileSync(path.join(outside, 'folder/file'), 'kept');
      if (IS_ROOT) for (const each of [place, outside, `${outside}/folder`]) chownSync(each, NOBODY, NOBODY);
      for (const each of [`${outside}/folder`, outside]) chmodSync(each, 0o555);
      const command = [process.execPath, PROGRAM, kind, path.join(place, 'data'), outside];
      const { stdout } = await run(program, [...given, ...command]);
      assert.deepEqual(JSON.parse(stdout), { failures: [], isLeft: false });
      assert.equal(readFileSync(path.join(outside, 'folder/file'), 'utf8'), 'kept');
      for (const each of [outside, `${outside}/folder`]) {
        assert.equal(statSync(each).mode & 0o777, 0o555);
        // An ordinary user could not remove them at the end of the test.
        chmodSync(each, 0o755);
      }
    });
  }
}

test('removeTree removes a file, and does nothing for a name that does not exist', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'file');
  writeFileSync(file, '');
  assert.deepEqual(await removeTree(file), []);
  assert.ok(!existsSync(file));
  assert.deepEqual(await removeTree(file), []);
});

test('removeTree that was ended early is completed by another one', async (t) => {
  const root = path.join(createTemporaryDirectory(t), 'data');
  for (let folder = 0; folder < 50; folder += 1) {
    mkdirSync(path.join(root, `${folder}/a/b`), { recursive: true });
    writeFileSync(path.join(root, `${folder}/a/b/file`), '');
  }
  const ending = new AbortController();
  const removal = removeTree(root, ending.signal);
  while (readdirSync(root).length === 50) await new Promise((resolve) => setImmediate(resolve));
  ending.abort(new Error('stopped'));
  await assert.rejects(removal, { message: 'stopped' });
  assert.deepEqual(await removeTree(root), []);
  assert.ok(!existsSync(root));
});

test('removeTree reports what cannot be removed, and removes the rest', WITH_ROOT, async (t) => {
  const root = path.join(createTemporaryDirectory(t), 'data');
  mkdirSync(path.join(root, 'a/b/c'), { recursive: true });
  for (const name of ['a/b/kept', 'a/b/other', 'a/b/c/file', 'file'])
    writeFileSync(path.join(root, name), '');
  setImmutable(path.join(root, 'a/b/kept'));
  releaseAfter(t, root);
  assert.deepEqual(await removeTree(root), [{ name: 'kept', code: 'EPERM' }]);
  const left = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('kept'),
  );
  assert.equal(left.length, 1);
  assert.equal(readdirSync(root).length, 1);
  releaseImmutable(root);
  assert.deepEqual(await removeTree(root), []);
  assert.ok(!existsSync(root));
});
