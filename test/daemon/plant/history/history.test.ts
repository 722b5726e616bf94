import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';

import type { HistoryQuery, HistoryRow } from '../../../../daemon/plant/history/history-query.ts';
import type { History } from '../../../../daemon/plant/history/history.ts';
import type { Journal } from '../../../../daemon/plant/journal/journal.ts';
import { createRandom } from '../../../support/random.ts';
import { sampleOf } from '../journal/plain-journal.ts';
import { catchUp, createHistoryBench, readPages } from './history-bench.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Bench = ReturnType<typeof createHistoryBench>;

// Values without a pattern, which take the most room.
const random = createRandom(1);

/** Records one sample a second, and lets the history follow. */
async function record(
  { clock }: Bench,
  { journal, history, count }: { journal: Journal; history: History; count: number },
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    clock.advance(1000);
    journal.append([{ sample: sampleOf(random(), clock.epochMs()) }]);
    if (index % 100 < 99) continue;
    await journal.flush();
    await catchUp(history);
  }
  await journal.flush();
  await catchUp(history);
}

async function readAllRows(
  history: History,
  changes: Partial<HistoryQuery> = {},
): Promise<readonly HistoryRow[]> {
  const query = {
    asset: 'boiler',
    channels: ['flowTemperature'],
    fromMs: 0,
    toMs: 2 ** 45,
    limit: 100_000,
    ...changes,
  };
  return (await readPages(history, query)).flat();
}

const countSamples = (rows: readonly HistoryRow[]): number =>
  rows.filter(({ type }) => type === 'SAMPLE').length;

test('the bytes of samples that are not stored are known, and none of those that are', async (t) => {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  const measure = (): readonly number[] => {
    const open: number[] = [];
    history.forEachOpen(({ unsavedBytes }) => open.push(unsavedBytes));
    return open;
  };
  await record(bench, { journal, history, count: 10 });
  const [bytes = 0] = measure();
  assert.ok(bytes >= 10 * 3 && bytes <= 10 * 16, `${bytes} bytes`);
  // Blocks are stored after a quarter of an hour, open or not.
  bench.clock.advance(900_000);
  while (measure()[0] !== 0) await bench.clock.nextTurn();
  await record(bench, { journal, history, count: 1 });
  const [newest = 0] = measure();
  assert.ok(newest >= 3 && newest <= 16, `${newest} bytes`);
});

test('a sample is read as soon as the journal has it on disk', async (t) => {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  await record(bench, { journal, history, count: 1 });
  assert.equal(countSamples(await readAllRows(history)), 1);
});

test('a journal that was read is acknowledged when its samples are on disk, at the latest after a quarter of an hour', async (t) => {
  const bench = createHistoryBench(t);
  const { cursors } = bench;
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  await record(bench, { journal, history, count: 60 });
  assert.equal(cursors.find('history')?.sequence, 0);
  await record(bench, { journal, history, count: 2000 });
  const acknowledged = cursors.find('history')?.sequence ?? 0;
  assert.ok(acknowledged > 2060 - 1000, `${acknowledged} is acknowledged`);
  await history.close();
  assert.equal(cursors.find('history')?.sequence, 2060);
});

test('a history without new samples writes nothing to the disk', async (t) => {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  await record(bench, { journal, history, count: 60 });
  const stores: number[] = [];
  const { current } = bench.bounds;
  Object.defineProperty(bench.bounds, 'current', {
    get: () => {
      stores.push(bench.clock.monotonicMs());
      return current;
    },
  });
  const storeAgain = async (): Promise<void> => {
    const before = stores.length;
    bench.clock.advance(31_000);
    while (stores.length === before) await settle();
  };
  const readLog = (): Buffer => readFileSync(`${bench.historyFile}-wal`);
  while (bench.cursors.find('history')?.sequence !== 60) await storeAgain();
  const before = readLog();
  for (let round = 0; round < 5; round += 1) await storeAgain();
  assert.equal(readLog().equals(before), true);
  await record(bench, { journal, history, count: 1 });
  await history.close();
  assert.equal(bench.cursors.find('history')?.sequence, 61);
});

test('a restart goes on without a missing or repeated sample', async (t) => {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  await record(bench, { journal, history, count: 700 });
  await history.close();
  const next = await bench.openHistory(journal);
  await record(bench, { journal, history: next, count: 700 });
  assert.equal(countSamples(await readAllRows(next)), 1400);
});

test('blocks beyond the maximum size go, the oldest first, are noted as a gap, and give disk back', async (t) => {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  await record(bench, { journal, history, count: 12_000 });
  await history.close();
  const before = statSync(bench.historyFile).size;
  bench.bounds.current = { maximumBytes: before / 2, maximumAgeMs: 2 ** 45 };
  const next = await bench.openHistory(journal);
  await record(bench, { journal, history: next, count: 2000 });
  await next.close();
  assert.ok(statSync(bench.historyFile).size < before * 0.75);
  const last = await bench.openHistory(journal);
  const rows = await readAllRows(last);
  const [first] = rows;
  assert.equal(first?.type === 'GAP' ? first.gap.reason : undefined, 'RETENTION');
  const lost = first?.type === 'GAP' ? first.gap.count : 0;
  assert.equal(countSamples(rows) + lost, 14_000);
});

test('old blocks go, and a clock that is set forward for a moment deletes nothing', async (t) => {
  const bench = createHistoryBench(t);
  const { clock, bounds } = bench;
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  bounds.current = { maximumBytes: 2 ** 40, maximumAgeMs: DAY_MS };
  await record(bench, { journal, history, count: 2000 });
  clock.setEpoch(clock.epochMs() + 400 * DAY_MS);
  await record(bench, { journal, history, count: 1000 });
  clock.setEpoch(clock.epochMs() - 400 * DAY_MS);
  assert.equal(countSamples(await readAllRows(history)), 3000);
  clock.advance(2 * DAY_MS);
  await record(bench, { journal, history, count: 1000 });
  assert.ok(countSamples(await readAllRows(history)) < 2500);
});

test('a damaged file is moved aside and named, and a new one begun', async (t) => {
  const bench = createHistoryBench(t);
  writeFileSync(bench.historyFile, Buffer.alloc(8192, 'x'));
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  await record(bench, { journal, history, count: 10 });
  const rows = await readAllRows(history);
  assert.equal(countSamples(rows), 10);
  const [first] = rows;
  assert.equal(first?.type === 'GAP' ? first.gap.reason : undefined, 'DAMAGED');
  const directory = path.dirname(bench.historyFile);
  assert.ok(existsSync(path.join(directory, 'history.damaged.db')), readdirSync(directory).join());
  assert.deepEqual(
    bench.logger.lines.map(({ event }) => event),
    ['history.movedAside'],
  );
});

test('gaps of other assets and channels are left out', async (t) => {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  const gap = { reason: 'DEVICE_LOST', fromMs: 10, toMs: 20, count: 1 } as const;
  journal.append([
    { gap: { ...gap, asset: 'pump' } },
    { gap: { ...gap, asset: 'boiler', channel: 'pressure' } },
    { gap: { ...gap, asset: 'boiler', channel: 'flowTemperature' } },
    { gap: { ...gap, count: 2 } },
  ]);
  await journal.flush();
  await catchUp(history);
  const rows = await readAllRows(history);
  assert.deepEqual(
    rows.map((row) => (row.type === 'GAP' ? row.gap.count : row.type)),
    [1, 2],
  );
});

test('an aborted reading ends', async (t) => {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  await record(bench, { journal, history, count: 3000 });
  const leaving = new AbortController();
  const query = { asset: 'boiler', channels: ['flowTemperature'], fromMs: 0, toMs: 2 ** 45, limit: 100_000 };
  let count = 0;
  for await (const rows of history.read(query, leaving.signal)) {
    count += rows.length;
    leaving.abort();
  }
  assert.ok(count < 3000, `${count} rows`);
});

test('a history that cannot store reports it once, with the time, and that it goes on', async (t) => {
  const bench = createHistoryBench(t);
  const journal = await bench.openJournal();
  const history = await bench.openHistory(journal);
  const { current } = bench.bounds;
  const refusal = { isOn: true };
  Object.defineProperty(bench.bounds, 'current', {
    get() {
      if (refusal.isOn) throw new Error('the disk is full');
      return current;
    },
  });
  const beginMs = bench.clock.epochMs();
  await record(bench, { journal, history, count: 20 });
  bench.clock.advance(20_000);
  journal.append([{ sample: sampleOf(random(), bench.clock.epochMs()) }]);
  await journal.flush();
  while (bench.faults.length === 0) await settle();
  const { fault } = history.status();
  assert.equal(fault?.reason, 'the disk is full');
  assert.ok((fault?.sinceMs ?? 0) > beginMs);
  refusal.isOn = false;
  while (bench.faults.length < 2) {
    bench.clock.advance(1000);
    journal.append([{ sample: sampleOf(random(), bench.clock.epochMs()) }]);
    await journal.flush();
    await settle();
  }
  assert.deepEqual(bench.faults, ['the disk is full', undefined]);
  assert.equal(history.status().fault, undefined);
});
