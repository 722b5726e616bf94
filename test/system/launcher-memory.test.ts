import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
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
  await writeFile(
    runtime,
    '#!/bin/sh\nprintf "%s\\n" "$@" "mapped=$MALLOC_MMAP_THRESHOLD_" "arenas=$MALLOC_ARENA_MAX"\n',
  );
  for (const file of [launcher, runtime]) await chmod(file, 0o755);
  return launcher;
}

/** Returns how large the heap may grow, in MiB, as the runtime was told. */
function readHeapMib(stdout: string): number {
  return Number(/^--max-old-space-size=(\d+)$/m.exec(stdout)?.[1]);
}

test('the launcher leaves the heap what the machine has, up to a bound', async (t) => {
  const { stdout } = await execute(await layOut(t), ['--version'], { env: {} });
  const words = stdout.trim().split('\n');
  const heapMib = readHeapMib(stdout);
  assert.ok(heapMib >= 96 && heapMib <= 640, stdout);
  assert.ok(heapMib <= Math.max(96, totalmem() / MIB), stdout);
  assert.deepEqual(words.slice(-3), ['--version', 'mapped=32768', 'arenas=1']);
});

test('the launcher gives values that are soon garbage more room where there is memory for it', async (t) => {
  const launcher = await layOut(t);
  const start = async (heapMib: string): Promise<string> =>
    (await execute(launcher, [], { env: { PENSTOCK_HEAP_MIB: heapMib } })).stdout;
  assert.match(await start('291'), /^--max-semi-space-size=2$/m);
  assert.match(await start('640'), /^--max-semi-space-size=4$/m);
});

test('the launcher has what lasts collected neither with every few MiB nor without threads for it', async (t) => {
  const launcher = await layOut(t);
  const status = await readFile('/proc/self/status', 'utf8');
  const [first = ''] = /^Cpus_allowed_list:\s*(\d+)/m.exec(status)?.slice(1) ?? [];
  // On one processor as well: marking without a thread of its own falls behind, and costs 70 to 90 MiB more.
  for (const command of [[launcher], ['taskset', '--cpu-list', first, launcher]]) {
    const [program = '', ...given] = command;
    const { stdout } = await execute(program, given, { env: { ...process.env, PENSTOCK_HEAP_MIB: '64' } });
    assert.match(stdout, /^--initial-old-space-size=24$/m);
    assert.doesNotMatch(stdout, /single-threaded|concurrent/);
  }
});

test('the launcher has only functions compiled for speed that a start does not run often enough', async (t) => {
  const { stdout } = await execute(await layOut(t), [], { env: {} });
  assert.match(stdout, /^--invocation-count-for-maglev=1000$/m);
  assert.match(stdout, /^--invocation-count-for-turbofan=10000$/m);
});

test('the launcher leaves alone what the operator has set for memory', async (t) => {
  const { stdout } = await execute(await layOut(t), [], { env: { MALLOC_ARENA_MAX: '4' } });
  assert.match(stdout, /^arenas=4$/m);
});

test('the launcher gives the heap what the operator has set', async (t) => {
  const launcher = await layOut(t);
  for (const set of ['64', '112', '4096']) {
    const { stdout, stderr } = await execute(launcher, [], { env: { PENSTOCK_HEAP_MIB: set } });
    assert.deepEqual([readHeapMib(stdout), stderr], [Number(set), '']);
  }
});

test('the launcher says so when what is set for the heap is no such number, and computes it', async (t) => {
  const launcher = await layOut(t);
  const computedMib = readHeapMib((await execute(launcher, [], { env: {} })).stdout);
  for (const set of [
    '63',
    '4097',
    '112.5',
    '0112',
    '1e3',
    '-112',
    '112 ',
    '112\n',
    '112 --inspect',
    'many',
    '',
  ]) {
    const { stdout, stderr } = await execute(launcher, [], { env: { PENSTOCK_HEAP_MIB: set } });
    assert.equal(readHeapMib(stdout), computedMib, set);
    assert.match(stderr, /^penstockd: PENSTOCK_HEAP_MIB is not a whole number from 64 to 4096; .+\n$/, set);
    assert.doesNotMatch(stdout, /inspect/);
  }
});
