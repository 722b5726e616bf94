import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { openStore } from '../../../../daemon/base/store/store.ts';
import {
  createRecordingCopier,
  removeRecordingCopy,
} from '../../../../daemon/compose/recording/recording-copy.ts';
import { History } from '../../../../daemon/plant/history/history.ts';
import { Cursors, cursorMigrations } from '../../../../daemon/plant/journal/cursors.ts';
import type { Cursor } from '../../../../daemon/plant/journal/cursors.ts';
import { Journal } from '../../../../daemon/plant/journal/journal.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { catchUp, createHistoryBench, readPages, toStored } from '../../plant/history/history-bench.ts';
import type { StoredSample } from '../../plant/history/history-bench.ts';
import { NO_BOUNDS, sampleOf } from '../../plant/journal/plain-journal.ts';

const QUERY = {
  asset: 'boiler',
  channels: ['flowTemperature'],
  fromMs: 0,
  toMs: 2 ** 45,
  limit: 100_000,
};

type Bench = ReturnType<typeof createHistoryBench>;

async function openRecorded(t: Owner) {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  const recorded = { bench, journal, history };
  await record(recorded, 2000);
  return recorded;
}

async function record(
  { bench: { clock }, journal, history }: { bench: Bench; journal: Journal; history: History },
  count: number,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    clock.advance(1000);
    journal.append([{ sample: sampleOf(Math.sin(index), clock.epochMs()) }]);
    if (index % 200 === 199) await journal.flush();
  }
  await journal.flush();
  await catchUp(history);
}

async function readSamples(history: History): Promise<readonly StoredSample[]> {
  const rows = (await readPages(history, QUERY)).flat();
  return rows.flatMap((row) => (row.type === 'SAMPLE' ? toStored(row) : []));
}

/** Reads the samples of a copy with the cursors of another moment. */
async function readCopy(
  t: Owner,
  { clock, logger }: Bench,
  directory: string,
  known: readonly Cursor[],
): Promise<readonly unknown[]> {
  const store = openStore(':memory:', [cursorMigrations]);
  const cursors = new Cursors(store);
  for (const cursor of known) cursors.acknowledge(cursor);
  const runtime = { cursors, logger, clock };
  const journal = await Journal.open({
    directory: path.join(directory, 'journal'),
    bounds: () => NO_BOUNDS,
    isClockSet: () => true,
    ...runtime,
  });
  const history = await History.open({
    journal,
    directory,
    bounds: () => ({ maximumBytes: 2 ** 40, maximumAgeMs: 2 ** 45 }),
    ...runtime,
  });
  t.after(async () => {
    await history.close();
    await journal.close();
    store.close();
  });
  await catchUp(history);
  return readSamples(history);
}

test('a copy has all samples until it was made, each once, whatever is recorded during it', async (t) => {
  const recorded = await openRecorded(t);
  const { bench, journal, history } = recorded;
  const dataDirectory = createTemporaryDirectory(t);
  const copier = createRecordingCopier({ dataDirectory, journal, history, reservedBytes: () => 0 });
  const cursors = bench.cursors.list();
  const before = await readSamples(history);
  const copied = copier.copy(new AbortController().signal);
  await record(recorded, 3000);
  await copied;
  const directory = path.join(dataDirectory, 'recording/copy');
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  assert.equal(statSync(path.join(directory, 'history.db')).mode & 0o777, 0o600);
  const found = await readCopy(t, bench, directory, cursors);
  assert.ok(found.length >= before.length, `${found.length} of ${before.length} samples`);
  assert.deepEqual(found, (await readSamples(history)).slice(0, found.length));
});

test('copies are made in turn, and a later one replaces an earlier one', async (t) => {
  const { bench, journal, history } = await openRecorded(t);
  const dataDirectory = createTemporaryDirectory(t);
  const copier = createRecordingCopier({ dataDirectory, journal, history, reservedBytes: () => 0 });
  const { signal } = new AbortController();
  await Promise.all([copier.copy(signal), copier.copy(signal)]);
  const directory = path.join(dataDirectory, 'recording/copy');
  assert.deepEqual(await readCopy(t, bench, directory, bench.cursors.list()), await readSamples(history));
  await removeRecordingCopy(dataDirectory);
  assert.deepEqual(readdirSync(path.dirname(directory)), []);
});

test('nothing is left of a copy that is ended, would take the reserve, or is overtaken by the end of the history', async (t) => {
  const { journal, history } = await openRecorded(t);
  const dataDirectory = createTemporaryDirectory(t);
  const reserved = { bytes: 0 };
  const copier = createRecordingCopier({
    dataDirectory,
    journal,
    history,
    reservedBytes: () => reserved.bytes,
  });
  const directory = path.join(dataDirectory, 'recording/copy');
  await assert.rejects(copier.copy(AbortSignal.abort()), { code: 'STORE_FAILED' });
  assert.ok(!existsSync(directory));
  reserved.bytes = 2 ** 60;
  await assert.rejects(copier.copy(new AbortController().signal), { code: 'STORE_FULL' });
  assert.ok(!existsSync(directory));
  reserved.bytes = 0;
  const overtaken = copier.copy(new AbortController().signal);
  const ended = history.close();
  await Promise.allSettled([overtaken, ended]);
  await assert.rejects(overtaken, { code: 'STORE_FAILED' });
  assert.ok(!existsSync(directory));
});
