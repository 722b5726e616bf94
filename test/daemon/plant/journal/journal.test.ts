import assert from 'node:assert/strict';
import {
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  appendFileSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { VALUE_TYPES } from '../../../../daemon/channel/value-type.ts';
import type { Journal } from '../../../../daemon/plant/journal/journal.ts';
import type { Sample } from '../../../../daemon/plant/journal/sample.ts';
import { createJournalBench, NO_BOUNDS, readAll, sampleOf, valuesOf } from './plain-journal.ts';
import { readEntries } from '../../../support/journal-entries.ts';

/** Appends values, each in a frame of its own. */
async function appendEach(journal: Journal, values: readonly number[], clock: { epochMs(): number }) {
  for (const value of values) {
    journal.append([{ sample: sampleOf(value, clock.epochMs()) }]);
    await journal.flush();
  }
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

const numberOf = (file: string): number => Number(path.basename(file, '.journal'));

function listFiles(directory: string): readonly string[] {
  return readdirSync(directory)
    .toSorted()
    .map((name) => path.join(directory, name));
}

test('entries are read as they were appended, with the numbers from 1 on', async (t) => {
  const { reopen, clock } = createJournalBench(t);
  const journal = await reopen();
  const samples = [1, 2.5, 3].map((value) => sampleOf(value, clock.epochMs()));
  journal.append(samples.map((sample) => ({ sample })));
  assert.equal(journal.tail, 0);
  await journal.flush();
  assert.equal(journal.tail, 3);
  assert.deepEqual(
    await readAll(journal),
    samples.map((sample, index) => ({ sample, sequence: index + 1 })),
  );
});

test('what follows the tail is read as it is from the disk, with values of every type', async (t) => {
  const { reopen, clock } = createJournalBench(t);
  const journal = await reopen();
  const values = {
    BOOLEAN: [true, false],
    BYTE_ARRAY: [Buffer.from('bytes'), new Uint8Array()],
    DOUBLE: [0.1, -0, NaN, 1e300],
    FLOAT: [Math.fround(0.1), 7],
    INTEGER: [-1, 2],
    LONG: [1n, 2n ** 62n],
    STRING: ['text', 'half of \ud83d'],
  };
  const samples: Sample[] = [];
  for (const valueType of VALUE_TYPES) {
    const series = { asset: 'boiler', channel: valueType.toLowerCase(), valueType };
    const common = { series, recorders: ['minute'], timestampMs: 7.4, takenAtMs: clock.epochMs() + 0.7 };
    for (const value of values[valueType]) samples.push({ ...common, value, quality: 'GOOD' });
    samples.push({ ...common, value: undefined, quality: 'BAD', status: 'TIMEOUT' });
  }
  journal.append(samples.map((sample) => ({ sample })));
  await journal.flush();
  const fromMemory = await readAll(journal);
  assert.equal(fromMemory.length, samples.length);
  await journal.close();
  assert.deepStrictEqual(fromMemory, await readAll(await reopen()));
});

test('the oldest samples of a channel are lost while too many wait for the disk, and counted', async (t) => {
  const { reopen, clock } = createJournalBench(t);
  const journal = await reopen();
  const [atOnce, lost] = [100_000, 2];
  journal.append([{ sample: sampleOf(-1, clock.epochMs(), 'other') }]);
  journal.append(
    range(0, atOnce + lost - 1).map((value) => ({ sample: sampleOf(value, clock.epochMs() + value) })),
  );
  await journal.flush();
  const entries = await readEntries(journal, { sequence: 0, timeMs: 0 }, atOnce + 10);
  assert.deepEqual(valuesOf(entries).slice(0, 2), [-1, lost]);
  assert.equal(valuesOf(entries).length, atOnce);
  const [fromMs, toMs] = [clock.epochMs(), clock.epochMs() + lost - 1];
  assert.deepEqual(
    entries.flatMap(({ gap }) => gap ?? []),
    [{ reason: 'DISK', fromMs, toMs, count: lost }],
  );
});

test('entries are written within a second of their append', async (t) => {
  const { reopen, clock } = createJournalBench(t);
  const journal = await reopen();
  journal.append([{ sample: sampleOf(1, clock.epochMs()) }]);
  const written = journal.waitAfter(0, 60_000);
  clock.advance(1000);
  await written;
  assert.equal(journal.tail, 1);
});

test('pages of any size give the same entries', async (t) => {
  const { reopen, clock } = createJournalBench(t);
  const journal = await reopen();
  for (const from of [0, 5, 6, 20]) {
    journal.append(range(from, from + 5).map((value) => ({ sample: sampleOf(value, clock.epochMs()) })));
    await journal.flush();
  }
  const all = await readAll(journal, 0, 1000);
  assert.equal(all.length, 20);
  for (const limit of range(1, 22)) assert.deepEqual(await readAll(journal, 0, limit), all, `${limit}`);
  for (const after of range(0, 22)) assert.deepEqual(await readAll(journal, after, 3), all.slice(after));
});

test('after a restart the entries are there, and the time between is a gap', async (t) => {
  const { reopen, clock } = createJournalBench(t);
  const before = await reopen();
  const stoppedAtMs = clock.epochMs();
  await appendEach(before, [1, 2], clock);
  clock.advance(60_000);
  const journal = await reopen();
  await journal.flush();
  await appendEach(journal, [3], clock);
  const entries = await readAll(journal);
  assert.deepEqual(valuesOf(entries), [1, 2, 3]);
  assert.deepEqual(entries[2], {
    sequence: 3,
    gap: { reason: 'STOPPED', fromMs: stoppedAtMs, toMs: stoppedAtMs + 60_000, count: 0 },
  });
});

test('a frame that was cut at any byte is cut off, and costs nothing else', async (t) => {
  const { reopen, clock, directory } = createJournalBench(t);
  await appendEach(await reopen(), [1, 2], clock);
  const [file = ''] = listFiles(directory);
  const whole = readFileSync(file);
  const first = whole.readUInt32LE(8) + whole.readUInt32LE(12) + 48;
  for (let length = first; length < whole.length; length += 1) {
    writeFileSync(file, whole.subarray(0, length));
    const journal = await reopen();
    assert.equal(statSync(file).size, first);
    await appendEach(journal, [3], clock);
    assert.deepEqual(valuesOf(await readAll(journal)), [1, 3]);
    await journal.close();
  }
});

test('a damaged byte anywhere is named, and costs only its frame', async (t) => {
  const { reopen, clock, directory } = createJournalBench(t);
  const journal = await reopen();
  await appendEach(journal, range(1, 7), clock);
  await journal.close();
  const [file = ''] = listFiles(directory);
  const whole = readFileSync(file);
  const next = path.join(directory, '0000000000000007.journal');
  writeFileSync(next, '');
  for (let index = 0; index < whole.length; index += 1) {
    const damaged = Buffer.from(whole);
    damaged[index] = (damaged[index] ?? 0) ^ (1 << (index % 8));
    writeFileSync(file, damaged);
    const reopened = await reopen();
    const entries = (await readAll(reopened)).filter(({ gap }) => gap?.reason !== 'STOPPED');
    const lost = entries.flatMap(({ gap }) => gap ?? []);
    assert.equal(lost.length, 1, `byte ${index}`);
    assert.deepEqual([lost[0]?.reason, lost[0]?.count], ['DAMAGED', 1], `byte ${index}`);
    assert.equal(valuesOf(entries).length, 5, `byte ${index}`);
    assert.deepEqual(
      entries.map(({ sequence }) => sequence),
      range(1, 7),
      `byte ${index}`,
    );
  }
});

test('damage is logged once, with its file and its numbers', async (t) => {
  const { reopen, clock, directory, logger } = createJournalBench(t);
  const journal = await reopen();
  await appendEach(journal, range(1, 7), clock);
  await journal.close();
  const [file = ''] = listFiles(directory);
  const bytes = readFileSync(file);
  const second = bytes.readUInt32LE(8) + bytes.readUInt32LE(12) + 48;
  for (const offset of [second + 50, bytes.length - 1]) bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
  writeFileSync(file, bytes);
  writeFileSync(path.join(directory, '0000000000000007.journal'), '');
  const reopened = await reopen();
  for (const limit of [1, 3, 100]) await readAll(reopened, 0, limit);
  const logged = logger.lines.filter(({ event }) => event === 'journal.entriesDamaged');
  assert.deepEqual(
    logged.map(({ fields }) => fields),
    [2, 6].map((firstSequence) => ({ file: path.basename(file), firstSequence, count: 1 })),
  );
});

test('a number that a consumer acknowledged is not used again, even if its frame was lost', async (t) => {
  const { reopen, clock, cursors, directory } = createJournalBench(t);
  await appendEach(await reopen(), [1, 2], clock);
  cursors.acknowledge({ consumer: 'history', sequence: 2, timeMs: clock.epochMs() });
  cursors.save();
  const [file = ''] = listFiles(directory);
  truncateSync(file, statSync(file).size - 1);
  const journal = await reopen();
  await appendEach(journal, [3], clock);
  const entries = await readEntries(journal, { sequence: 2, timeMs: 0 }, 10);
  assert.deepEqual(valuesOf(entries), [3]);
});

/** Appends frames of some kilobytes, so that there are many segments. */
async function appendMany(journal: Journal, frames: number, clock: { epochMs(): number }) {
  for (const frame of range(0, frames)) {
    const samples = range(0, 500).map((index) =>
      sampleOf(Math.sin(frame * 1e6 + index) * 1e5, clock.epochMs(), `channel${index % 50}`),
    );
    journal.append(samples.map((sample) => ({ sample })));
    await journal.flush();
  }
}

test('what retention deleted is a gap in its place', async (t) => {
  const { reopen, clock, cursors, state, directory } = createJournalBench(t);
  cursors.acknowledge({ consumer: 'north', sequence: 0, timeMs: 0 });
  cursors.save();
  const journal = await reopen();
  await appendMany(journal, 40, clock);
  const files = listFiles(directory).length;
  assert.ok(files > 5, `${files} segments`);
  state.bounds = { ...NO_BOUNDS, maximumBytes: 50_000 };
  await journal.trim();
  assert.ok(listFiles(directory).length < files);
  const { oldestSequence, bytes } = journal.status();
  assert.ok(bytes <= 50_000);
  const entries = await readEntries(journal, { sequence: 1000, timeMs: 77 }, 2);
  assert.deepEqual(entries[0], {
    sequence: oldestSequence - 1,
    gap: { reason: 'RETENTION', fromMs: 77, toMs: clock.epochMs(), count: oldestSequence - 1001 },
  });
  assert.equal(entries[1]?.sequence, oldestSequence);
});

test('the rest of what was written at once is not read from the disk again', async (t) => {
  const { reopen, clock, directory } = createJournalBench(t);
  const journal = await reopen();
  for (const first of [0, 10]) {
    journal.append(
      Array.from({ length: 10 }, (_, index) => ({ sample: sampleOf(first + index, clock.epochMs()) })),
    );
    await journal.flush();
  }
  await readEntries(journal, { sequence: 0, timeMs: 0 }, 3);
  for (const file of listFiles(directory)) unlinkSync(file);
  const entries = await readEntries(journal, { sequence: 3, timeMs: 0 }, 7);
  assert.deepEqual(
    entries.map(({ sample }) => sample?.value),
    [3, 4, 5, 6, 7, 8, 9],
  );
});

test('a segment that is deleted while it is read is a gap of retention', async (t) => {
  const { reopen, clock, cursors, directory } = createJournalBench(t);
  cursors.acknowledge({ consumer: 'north', sequence: 0, timeMs: 0 });
  cursors.save();
  const journal = await reopen();
  await appendMany(journal, 40, clock);
  const [first = '', second = ''] = listFiles(directory);
  unlinkSync(first);
  const entries = await readEntries(journal, { sequence: 0, timeMs: 0 }, 1);
  assert.deepEqual([entries[0]?.gap?.reason, entries[0]?.sequence], ['RETENTION', numberOf(second) - 1]);
});

test('bytesAfter is all of them for a new consumer, and nothing for one that has read everything', async (t) => {
  const { reopen, clock, cursors } = createJournalBench(t);
  cursors.acknowledge({ consumer: 'north', sequence: 0, timeMs: 0 });
  cursors.save();
  const journal = await reopen();
  await appendMany(journal, 10, clock);
  const { bytes } = journal.status();
  assert.equal(journal.bytesAfter(0), bytes);
  assert.equal(journal.bytesAfter(journal.tail), 0);
  const half = journal.bytesAfter(Math.floor(journal.tail / 2));
  assert.ok(half > bytes * 0.4 && half < bytes * 0.6, `${half} of ${bytes}`);
});

test('segments that every consumer has acknowledged are deleted', async (t) => {
  const { reopen, clock, directory } = createJournalBench(t);
  await appendMany(await reopen(), 40, clock);
  assert.equal(listFiles(directory).length, 1);
});

test('a clock that is set forward deletes nothing until it stays there for an hour', async (t) => {
  const { reopen, clock, cursors, state } = createJournalBench(t);
  cursors.acknowledge({ consumer: 'north', sequence: 0, timeMs: 0 });
  cursors.save();
  state.bounds = { ...NO_BOUNDS, maximumAgeMs: 86_400_000 };
  const journal = await reopen();
  await appendMany(journal, 40, clock);
  clock.setEpoch(clock.epochMs() + 400 * 86_400_000);
  await journal.trim();
  clock.advance(1_800_000);
  await journal.trim();
  assert.equal(journal.status().oldestSequence, 1);
  clock.advance(3_600_000);
  await journal.trim();
  assert.ok(journal.status().oldestSequence > 1);
});

test('a clock that is set back keeps the order of the entries', async (t) => {
  const { reopen, clock } = createJournalBench(t);
  const journal = await reopen();
  await appendEach(journal, [1, 2], clock);
  clock.setEpoch(clock.epochMs() - 86_400_000);
  await appendEach(journal, [3], clock);
  assert.deepEqual(valuesOf(await readAll(journal)), [1, 2, 3]);
});

test('recording stops at the reserve of the disk, says so, and resumes with a gap', async (t) => {
  const { reopen, clock, state, logger } = createJournalBench(t);
  const journal = await reopen();
  await appendEach(journal, [1], clock);
  state.bounds = { ...NO_BOUNDS, reservedBytes: 2 ** 60 };
  const fromMs = clock.epochMs();
  await appendEach(journal, [2], clock);
  clock.advance(1000);
  await appendEach(journal, [3], clock);
  assert.match(journal.status().stop?.reason ?? '', /MiB of the disk are free, and \d+ MiB are reserved/);
  state.bounds = NO_BOUNDS;
  await appendEach(journal, [4], clock);
  assert.equal(journal.status().stop, undefined);
  const entries = await readAll(journal);
  assert.deepEqual(valuesOf(entries), [1, 4]);
  assert.deepEqual(
    entries.flatMap(({ gap }) => gap ?? []),
    [{ reason: 'DISK', fromMs, toMs: fromMs + 1000, count: 2 }],
  );
  assert.deepEqual(
    logger.lines.map(({ event }) => event),
    ['recording.stopped', 'recording.resumed'],
  );
});

test('bytes in a value that look like a frame are none', async (t) => {
  const { reopen, clock, directory } = createJournalBench(t);
  const journal = await reopen();
  await appendEach(journal, [1], clock);
  const [file = ''] = listFiles(directory);
  const frame = readFileSync(file);
  journal.append([
    {
      sample: {
        ...sampleOf(0, clock.epochMs(), 'text'),
        series: { asset: 'boiler', channel: 'bytes', valueType: 'BYTE_ARRAY' },
        value: frame,
      },
    },
  ]);
  await journal.flush();
  await appendEach(journal, [2], clock);
  await journal.close();
  // The frame around it is damaged, so that a search for the next one goes through the bytes.
  const whole = readFileSync(file);
  whole[frame.length + 20] = 0xff;
  writeFileSync(file, whole);
  appendFileSync(path.join(directory, '0000000000000004.journal'), '');
  const entries = (await readAll(await reopen())).filter(({ gap }) => gap?.reason !== 'STOPPED');
  assert.deepEqual(valuesOf(entries), [1, 2]);
  assert.deepEqual(
    entries.map(({ sequence }) => sequence),
    [1, 2, 3],
  );
});
