import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';

const LAUNCHER = path.resolve(import.meta.dirname, '../../systemd/penstockd');
const MIB = 2 ** 20;
const execute = promisify(execFile);

/** Lays the launcher out as the package does, with a runtime that shows what it was started with. */
async function layOut(t: Owner): Promise<string> {
  const folder = path.join(createTemporaryDirectory(t), 'bin');
  await mkdir(folder);
  const [launcher, runtime] = [path.join(folder, 'penstockd'), path.join(folder, 'node')];
  await copyFile(LAUNCHER, launcher);
  await writeFile(runtime, '#!/bin/sh\nprintf "%s\\n" "$@" "arenas=$MALLOC_ARENA_MAX"\n');
  for (const file of [launcher, runtime]) await chmod(file, 0o755);
  return launcher;
}

test('the launcher leaves the heap what the machine has, up to a bound', async (t) => {
  const { stdout } = await execute(await layOut(t), ['--version'], { env: {} });
  const words = stdout.trim().split('\n');
  const heapMib = Number(words.find((word) => word.startsWith('--max-old-space-size='))?.split('=')[1]);
  assert.ok(heapMib >= 96 && heapMib <= 640, stdout);
  assert.ok(heapMib <= Math.max(96, totalmem() / MIB), stdout);
  assert.equal(words.at(-2), '--version');
  assert.equal(words.at(-1), 'arenas=1');
});

test('the launcher leaves alone what the operator has set for memory', async (t) => {
  const { stdout } = await execute(await layOut(t), [], { env: { MALLOC_ARENA_MAX: '4' } });
  assert.match(stdout, /^arenas=4$/m);
});
