import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { startGateway } from '../support/gateway.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

test('what was compiled is kept soon after the start, for a start after a loss of power', async (t) => {
  const cache = createTemporaryDirectory(t);
  const environment = { NODE_COMPILE_CACHE: cache };
  const killed = await startGateway(t, { environment });
  while ((await listFiles(cache)).length === 0) await setTimeout(10);
  const ended = once(killed.process, 'exit');
  killed.process.kill('SIGKILL');
  await ended;

  const kept = await listFiles(cache);
  const whole = await Promise.all(kept.map((file) => readFile(file)));
  const next = await startGateway(t, { environment });
  await next.stop();
  // It was of use: nothing was compiled anew.
  const after = await Promise.all(kept.map((file) => readFile(file)));
  assert.deepEqual(after, whole);
});

test('what was kept and is damaged is compiled anew', async (t) => {
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
  const gateway = await startGateway(t, { environment });
  assert.equal(await gateway.stop(), 0);
});
