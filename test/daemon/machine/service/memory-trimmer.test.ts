import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

import { MemoryTrimmer } from '../../../../daemon/machine/service/memory-trimmer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MIB = 2 ** 20;
const STEP_MS = 100;
/** How long the process has to be at rest before a release. */
const MOMENT_MS = 200;
const SOURCE = path.resolve(import.meta.dirname, '../../../../daemon/machine/service/memory-trimmer.ts');

/** Watches a process of `residentMiB` that is busy for `busyShare` of the time, and has 100 MiB left after a release. */
function watch() {
  const clock = new ManualClock();
  const state = { residentMiB: 180, busyShare: 0.01, releases: 0 };
  let processorUs = 0;
  const memory = new MemoryTrimmer(clock, {
    residentBytes: () => state.residentMiB * MIB,
    processorUs: () => processorUs,
    release: () => {
      state.releases += 1;
      state.residentMiB = 100;
    },
  });
  memory.start();
  const pass = (ms: number): void => {
    // In steps, because work is even.
    for (let left = ms; left > 0; left -= STEP_MS) step(Math.min(left, STEP_MS));
  };
  const step = (ms: number): void => {
    processorUs += ms * 1000 * state.busyShare;
    clock.advance(ms);
  };
  return { state, memory, pass };
}

test('what the start took is given back as soon as there is little to do', () => {
  const { state, pass } = watch();
  state.busyShare = 0.9;
  for (let turn = 0; turn < 10; turn += 1) pass(500);
  assert.equal(state.releases, 0);
  state.busyShare = 0.1;
  pass(500 + MOMENT_MS);
  assert.equal(state.releases, 1);
});

test('a request that has just begun is not stopped by a release', () => {
  const { state, pass } = watch();
  pass(500);
  state.busyShare = 1;
  pass(MOMENT_MS);
  assert.equal(state.releases, 0);
  state.busyShare = 0;
  pass(500 + MOMENT_MS);
  assert.equal(state.releases, 1);
});

test('later, memory is given back when there is enough of it, and little to do', () => {
  const { state, pass } = watch();
  pass(500 + MOMENT_MS);
  state.residentMiB = 131;
  pass(10_000);
  assert.equal(state.releases, 1);
  state.residentMiB = 200;
  state.busyShare = 0.5;
  pass(10_000);
  assert.equal(state.releases, 1);
  state.busyShare = 0;
  pass(10_000 + MOMENT_MS);
  assert.equal(state.releases, 2);
  pass(10_000);
  assert.equal(state.releases, 2);
});

test('nothing is given back after the end', () => {
  const { state, memory, pass } = watch();
  memory.stop();
  pass(60_000);
  assert.equal(state.releases, 0);
});

test('a release makes the process smaller, which another collection does not', () => {
  const script = `
    const { watchOwnProcess } = await import(${JSON.stringify(SOURCE)});
    const own = watchOwnProcess();
    let kept = Array.from({ length: 500_000 }, (_, index) => ({ index, list: [index] }));
    const full = own.residentBytes();
    kept = kept.slice(0, 10);
    gc();
    const collected = own.residentBytes();
    own.release();
    console.log(JSON.stringify({ full, collected, released: own.residentBytes(), kept: kept.length }));`;
  const text = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  const { full, collected, released } = JSON.parse(text) as Readonly<Record<string, number>>;
  assert.ok(full !== undefined && collected !== undefined && released !== undefined);
  assert.ok(released < collected - 16 * MIB, text);
  assert.ok(released < full - 16 * MIB, text);
});

test('a release frees code that only the start has run, and code can run again', () => {
  const script = `
    const { watchOwnProcess } = await import(${JSON.stringify(SOURCE)});
    const { getHeapCodeStatistics } = await import('node:v8');
    const own = watchOwnProcess();
    const body = Array.from({ length: 50 }, (_, index) => 'sum += ' + index + ' * factor;').join('');
    const all = Array.from({ length: 500 }, (_, index) => new Function('factor', 'let sum = ' + index + ';' + body + 'return sum;'));
    const run = () => all.reduce((total, each) => total + each(2), 0);
    const first = run();
    gc();
    const before = getHeapCodeStatistics().bytecode_and_metadata_size;
    own.release();
    const after = getHeapCodeStatistics().bytecode_and_metadata_size;
    console.log(JSON.stringify({ before, after, first, second: run() }));`;
  const text = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  const { before, after, first, second } = JSON.parse(text) as Readonly<Record<string, number>>;
  assert.ok(before !== undefined && after !== undefined);
  assert.ok(after < before / 2, text);
  assert.equal(second, first);
});

test('what a release restores is what the runtime starts with', () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const usual of ['--bytecode-old-age=6', '--no-flush-baseline-code']) {
    assert.ok(options.includes(`default: ${usual}\n`), usual);
  }
});
