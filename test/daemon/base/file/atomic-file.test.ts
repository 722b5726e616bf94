import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { syncDirectory, writeFileAtomically } from '../../../../daemon/base/file/atomic-file.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const runFile = promisify(execFile);
const MODULE = JSON.stringify(
  path.resolve(import.meta.dirname, '../../../../daemon/base/file/atomic-file.ts'),
);

/** A program that replaces the file in its first argument forever, with 64 KiB of one letter each time. */
const WRITE_FOR_EVER = `
  import { writeFileAtomically } from ${MODULE};
  for (let round = 0; ; round += 1) {
    await writeFileAtomically(process.argv[1], String.fromCharCode(97 + (round % 26)).repeat(65_536));
    console.log(round);
  }`;

const WRITE_MUCH = `
  import { writeFileAtomically } from ${MODULE};
  await writeFileAtomically(process.argv[1], 'x'.repeat(1_048_576)).catch((error) => console.log(error.code));`;

test('writeFileAtomically creates a file and replaces it as a whole', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'file');
  await writeFileAtomically(file, 'a longer first content');
  await writeFileAtomically(file, Uint8Array.of(0, 255));
  assert.deepEqual([...readFileSync(file)], [0, 255]);
  assert.deepEqual(readdirSync(path.dirname(file)), ['file']);
});

test('writeFileAtomically grants access to the owner only when the umask is 000', async (t) => {
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  const file = path.join(createTemporaryDirectory(t), 'file');
  await writeFileAtomically(file, 'secret');
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('writeFileAtomically sets the requested mode, also on an existing file', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'file');
  writeFileSync(file, 'open', { mode: 0o644 });
  await writeFileAtomically(file, 'closed', 0o400);
  assert.equal(statSync(file).mode & 0o777, 0o400);
});

test('a write that fails leaves the old content and no temporary file', async (t) => {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'file');
  await writeFileAtomically(file, 'old');
  // The limit on file size makes the write fail halfway, as a full disk does.
  const { stdout } = await runFile('sh', [
    '-c',
    'ulimit -f 1 && exec "$0" "$@"',
    process.execPath,
    '--input-type=module',
    '-e',
    WRITE_MUCH,
    file,
  ]);
  assert.equal(stdout.trim(), 'EFBIG');
  assert.equal(readFileSync(file, 'utf8'), 'old');
  assert.deepEqual(readdirSync(directory), ['file']);
});

test('a rename that fails leaves no temporary file', async (t) => {
  const directory = createTemporaryDirectory(t);
  mkdirSync(path.join(directory, 'folder'));
  await assert.rejects(writeFileAtomically(path.join(directory, 'folder'), 'x'), { code: 'EISDIR' });
  assert.deepEqual(readdirSync(directory), ['folder']);
});

test('a process that is killed while it writes leaves a whole file', async (t) => {
  const file = path.join(createTemporaryDirectory(t), 'file');
  for (const killAfter of [1, 5, 9]) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', WRITE_FOR_EVER, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    for await (const round of createInterface(child.stdout)) {
      if (Number(round) >= killAfter) child.kill('SIGKILL');
    }
    await exited;
    assert.match(readFileSync(file, 'latin1'), /^([a-z])\1{65535}$/);
  }
});

test('the next write of a file removes what killed writers left, and nothing else', async (t) => {
  const directory = createTemporaryDirectory(t);
  const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(ended, 'exit');
  const [dead, alive] = [ended.pid, process.pid].map((pid) => `file.${pid}-0123456789ab.tmp`);
  const others = [alive ?? '', `other.${ended.pid}-0123456789ab.tmp`, 'file.tmp', 'file.1.tmp'];
  for (const name of [dead ?? '', ...others]) writeFileSync(path.join(directory, name), '');
  await writeFileAtomically(path.join(directory, 'file'), 'new');
  assert.deepEqual(readdirSync(directory), ['file', ...others].toSorted());
});

test('syncDirectory fails for a missing directory', async (t) => {
  const directory = createTemporaryDirectory(t);
  await syncDirectory(directory);
  await assert.rejects(syncDirectory(path.join(directory, 'absent')), { code: 'ENOENT' });
});
