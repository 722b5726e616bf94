import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { startGateway } from '../support/gateway.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

function readInodes(files: readonly string[]): Promise<readonly number[]> {
  return Promise.all(files.map(async (file) => (await stat(file)).ino));
}

test('compiled code is in the cache soon after the start, and used after a loss of power', async (t) => {
  const cache = createTemporaryDirectory(t);
  const environment = { NODE_COMPILE_CACHE: cache };
  const killed = await startGateway(t, { environment });
  while ((await listFiles(cache)).length === 0) await setTimeout(10);
  const ended = once(killed.process, 'exit');
  killed.process.kill('SIGKILL');
  await ended;

  const files = await listFiles(cache);
  // What is compiled again replaces its file.
  const inodes = await readInodes(files);
  assert.equal(await (await startGateway(t, { environment })).stop(), 0);
  assert.deepEqual(await readInodes(files), inodes);
});

test('code in the cache that is damaged is compiled again', async (t) => {
  const cache = createTemporaryDirectory(t);
  const environment = { NODE_COMPILE_CACHE: cache };
  await (await startGateway(t, { environment })).stop();
  const files = await listFiles(cache);
  assert.ok(files.length > 0);
  for (const [index, file] of files.entries()) {
    const bytes = await readFile(file);
    // Cut off, empty, or with other bytes in the middle.
    const cut = bytes.subarray(0, Math.floor(bytes.length / 2));
    const changed = Buffer.from(bytes).fill(0xff, cut.length, cut.length + 16);
    await writeFile(file, [cut, '', changed][index % 3] ?? '');
  }
  const inodes = await readInodes(files);
  assert.equal(await (await startGateway(t, { environment })).stop(), 0);
  const after = await readInodes(files);
  assert.deepEqual(
    after.filter((inode, index) => inode === inodes[index]),
    [],
  );
});
