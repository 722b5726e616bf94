import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import type { BundleError } from '../../../../../daemon/software/bundle/bundle-error.ts';
import { measureDirectory } from '../../../../../daemon/software/bundle/storage/storage-usage.ts';
import { StorageWatch } from '../../../../../daemon/software/bundle/storage/storage-watch.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../../support/temporary-directory.ts';
import type { Owner } from '../../../../support/temporary-directory.ts';

const MIB = 1_048_576;
const INTERVAL_MS = 1000;

function setUp(t: Owner) {
  const dataDirectory = path.join(createTemporaryDirectory(t), 'data');
  mkdirSync(dataDirectory);
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const limits = { bytes: 4 * MIB, entries: 10 };
  const writable: boolean[] = [];
  const exceeded: BundleError[] = [];
  const measured = new EventEmitter();
  let count = 0;
  const watch = new StorageWatch({
    async measure(maximumEntries) {
      const usage = await measureDirectory(dataDirectory, maximumEntries);
      count += 1;
      setImmediate(() => measured.emit('measured'));
      return usage;
    },
    limits: () => limits,
    intervalMs: INTERVAL_MS,
    setWritable(isWritable) {
      writable.push(isWritable);
      return Promise.resolve();
    },
    onExceeded: (error) => void exceeded.push(error),
    logger,
    clock,
  });
  const events = () => logger.lines.map(({ event }) => event);
  return {
    dataDirectory,
    clock,
    limits,
    watch,
    writable,
    exceeded,
    events,
    measurements: () => count,
    /** Resolves when the watch has acted on a measurement. */
    awaitMeasurement: async (number: number): Promise<void> => {
      for (let seen = count; seen < number; seen = count) await once(measured, 'measured');
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('the watch closes the storage when it is full, and opens it when enough is deleted or allowed', async (t) => {
  const { dataDirectory, watch, writable, limits, events } = setUp(t);
  const file = path.join(dataDirectory, 'file');
  assert.equal(watch.status(), undefined);
  writeFileSync(file, Buffer.alloc(4 * MIB, 1));
  await watch.check();
  // Again without a change: the bundle may have new processes.
  await watch.check();
  assert.deepEqual([writable, watch.status()?.isFull], [[false, false], true]);
  limits.bytes = 8 * MIB;
  await watch.check();
  assert.equal(watch.status()?.isFull, false);
  limits.bytes = 4 * MIB;
  await watch.check();
  rmSync(file);
  await watch.check();
  assert.deepEqual(writable, [false, false, true, false, true]);
  assert.deepEqual(events(), [
    'bundle.storageFilled',
    'bundle.storageFreed',
    'bundle.storageFilled',
    'bundle.storageFreed',
  ]);
});

test('the watch reports once that the limits are exceeded, and ends', async (t) => {
  const { dataDirectory, watch, exceeded } = setUp(t);
  for (let file = 0; file < 11; file += 1) writeFileSync(path.join(dataDirectory, String(file)), '');
  await watch.run(new AbortController().signal);
  assert.deepEqual(
    exceeded.map(({ code }) => code),
    ['BUNDLE_STORAGE_EXCEEDED'],
  );
});

test('a directory that cannot be measured for another reason stops no bundle, and is logged once', async (t) => {
  const { dataDirectory, watch, exceeded, events, clock } = setUp(t);
  rmdirSync(dataDirectory);
  writeFileSync(dataDirectory, '');
  const ending = new AbortController();
  const running = watch.run(ending.signal);
  for (let round = 0; round < 200; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(INTERVAL_MS);
  }
  ending.abort();
  await running;
  assert.deepEqual(exceeded, []);
  assert.deepEqual(events(), ['bundle.storageUnmeasured']);
});

test('a bundle that is writing is measured more often', async (t) => {
  const { dataDirectory, clock, watch, awaitMeasurement, measurements } = setUp(t);
  const ending = new AbortController();
  const running = watch.run(ending.signal);
  await awaitMeasurement(1);
  writeFileSync(path.join(dataDirectory, 'first'), Buffer.alloc(4096, 1));
  clock.advance(INTERVAL_MS);
  await awaitMeasurement(2);
  clock.advance(INTERVAL_MS / 8);
  await awaitMeasurement(3);
  // Nothing was written since.
  clock.advance(INTERVAL_MS / 8);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(measurements(), 3);
  ending.abort();
  await running;
});
