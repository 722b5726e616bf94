import assert from 'node:assert/strict';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import {
  measureDeletedFiles,
  measureDirectory,
} from '../../../../../daemon/software/bundle/storage/storage-usage.ts';
import { makeDeepPath } from '../../../../support/deep-path.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';

const MIB = 1_048_576;

test('measureDirectory counts what files take on the disk, in every depth, and every entry', async (t) => {
  const root = createTemporaryDirectory(t);
  mkdirSync(path.join(root, 'a/b'), { recursive: true });
  writeFileSync(path.join(root, 'a/b/file'), Buffer.alloc(MIB, 1));
  writeFileSync(Buffer.concat([Buffer.from(`${root}/a/`), Buffer.from([0xff])]), Buffer.alloc(MIB, 1));
  writeFileSync(path.join(root, 'sparse'), '');
  truncateSync(path.join(root, 'sparse'), 1024 * MIB);
  const { bytes, entries, unreadable } = await measureDirectory(root, 100);
  assert.deepEqual([entries, unreadable], [5, undefined]);
  assert.ok(bytes >= 2 * MIB && bytes < 3 * MIB, String(bytes));
});

test('measureDirectory follows no link', async (t) => {
  const root = createTemporaryDirectory(t);
  const outside = createTemporaryDirectory(t);
  writeFileSync(path.join(outside, 'file'), Buffer.alloc(MIB, 1));
  symlinkSync(outside, path.join(root, 'folder'));
  symlinkSync(path.join(outside, 'file'), path.join(root, 'file'));
  const { bytes, entries } = await measureDirectory(root, 100);
  assert.equal(entries, 2);
  assert.ok(bytes < MIB);
});

test('measureDirectory ends soon after the maximum of entries', async (t) => {
  const root = createTemporaryDirectory(t);
  for (let file = 0; file < 500; file += 1) writeFileSync(path.join(root, String(file)), '');
  const { entries } = await measureDirectory(root, 100);
  assert.ok(entries > 100 && entries < 200, String(entries));
});

test('measureDirectory names a directory that it cannot read', async (t) => {
  const root = createTemporaryDirectory(t);
  makeDeepPath(root, 30);
  assert.equal((await measureDirectory(root, 100)).unreadable, 'ENAMETOOLONG');
});

test('measureDirectory rejects with an error of which the bundle is not the cause', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'file');
  writeFileSync(file, '');
  await assert.rejects(measureDirectory(file, 10), { code: 'ENOTDIR' });
});

test('measureDirectory of nothing is nothing', async () => {
  assert.deepEqual(await measureDirectory('/nonexistent', 10), {
    bytes: 0,
    entries: 0,
    unreadable: undefined,
  });
});

test('measureDeletedFiles counts files that are deleted and still open, each once', async (t) => {
  const root = createTemporaryDirectory(t);
  const before = await measureDeletedFiles([process.pid]);
  const [kept, deleted, linked] = ['kept', 'deleted', 'linked'].map((name) => path.join(root, name));
  assert.ok(kept !== undefined && deleted !== undefined && linked !== undefined);
  for (const file of [kept, deleted, linked]) writeFileSync(file, Buffer.alloc(MIB, 1));
  linkSync(linked, `${linked}.other`);
  const open = [kept, deleted, deleted, linked].map((file) => openSync(file, 'r'));
  rmSync(deleted);
  rmSync(linked);
  const bytes = (await measureDeletedFiles([process.pid])) - before;
  for (const fd of open) closeSync(fd);
  assert.ok(bytes >= MIB && bytes < 1.5 * MIB, String(bytes));
  assert.equal(await measureDeletedFiles([2 ** 22 + 1]), 0);
});
