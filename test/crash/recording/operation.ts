import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { systemClock } from '../../../daemon/base/clock.ts';
import { createLogger } from '../../../daemon/base/logger.ts';
import { openStore } from '../../../daemon/base/store/store.ts';
import { Cursors, cursorMigrations } from '../../../daemon/plant/journal/cursors.ts';
import { Journal } from '../../../daemon/plant/journal/journal.ts';
import type { NumberedEntry } from '../../../daemon/plant/journal/sample.ts';
import type { RecordingReport } from './subject.ts';
import { readEntries } from '../../support/journal-entries.ts';

// One run of what keeps a journal, in a process that may be killed at any moment: `operation.ts DIRECTORY OPERATION`.
// `append` writes one more frame; `acknowledge` reads all and notes what was read in the file `consumed`, then moves the cursor;
// `trim` deletes the segments that a small bound leaves no room for. `tear` leaves a part of a frame at the end, as a loss of power
// does, and `recover` opens the journal and writes no sample. `start` reports what is there, and writes one more frame.
const [directory = '', name = ''] = process.argv.slice(2);
const consumedFile = path.join(directory, 'consumed');
// Each frame is a segment of its own.
const SEGMENT_BYTES = 1;
const CONSUMER = 'north';

process.stdout.on('error', () => undefined);
const store = openStore(path.join(directory, 'penstock.db'), [cursorMigrations]);
const cursors = new Cursors(store);
if (cursors.find(CONSUMER) === undefined) {
  cursors.acknowledge({ consumer: CONSUMER, sequence: 0, timeMs: 0 });
  cursors.save();
}
const isSmall = name === 'trim';
const operations: Readonly<Record<string, () => string | Promise<string>>> = {
  acknowledge,
  trim,
  recover: () => (journal.status().stop === undefined ? 'COMPLETED' : 'REFUSED'),
  tear: () => 'COMPLETED',
};
const journal = await Journal.open({
  directory: path.join(directory, 'journal'),
  cursors,
  bounds: () => ({ maximumBytes: isSmall ? 700 : 2 ** 40, maximumAgeMs: 2 ** 45, reservedBytes: 0 }),
  segmentBytes: ['append', 'recover', 'tear'].includes(name) ? 2 ** 22 : SEGMENT_BYTES,
  isClockSet: () => true,
  logger: createLogger({
    level: () => 'info',
    write: (line) => process.stderr.write(line),
    epochMs: () => systemClock.epochMs(),
    journalPriorities: false,
  }),
  clock: systemClock,
});
// The gap of the restart is written apart.
await journal.flush();

if (name === 'start') {
  const entries = await readAll(0);
  const values = valuesOf(entries);
  const objections = [...listHoles(entries), ...listMissing(values)];
  const after = await appendNext();
  if (after !== 'COMPLETED') objections.push(`the next frame is ${after}`);
  else if (valuesOf(await readAll(0)).length !== values.length + 1)
    objections.push('the next frame is not read');
  say({ outcome: 'COMPLETED', values, objections });
} else {
  say({ outcome: await (operations[name] ?? appendNext)() });
}
await journal.close();
if (name === 'tear') tear();
store.close();

/** Writes the begin of a frame after the last one. */
function tear(): void {
  const segments = path.join(directory, 'journal');
  const newest = path.join(segments, readdirSync(segments).toSorted().at(-1) ?? '');
  appendFileSync(newest, readFileSync(newest).subarray(0, 60));
}

/** Writes one frame with one sample of the next value. */
async function appendNext(): Promise<string> {
  const tail = journal.tail;
  const takenAtMs = systemClock.epochMs();
  journal.append([
    {
      sample: {
        series: { asset: 'pump', channel: 'level', valueType: 'INTEGER' },
        recorders: ['fast'],
        value: (valuesOf(await readAll(0)).at(-1) ?? 0) + 1,
        quality: 'GOOD',
        timestampMs: takenAtMs,
        takenAtMs,
      },
    },
  ]);
  await journal.flush();
  return journal.status().stop === undefined && journal.tail > tail ? 'COMPLETED' : 'REFUSED';
}

async function acknowledge(): Promise<string> {
  const cursor = cursors.find(CONSUMER)?.sequence ?? 0;
  const entries = await readAll(cursor);
  // The consumer has them before it says so.
  for (const value of valuesOf(entries)) appendFileSync(consumedFile, `${value}\n`);
  const last = entries.at(-1)?.sequence ?? cursor;
  cursors.acknowledge({ consumer: CONSUMER, sequence: last, timeMs: systemClock.epochMs() });
  try {
    cursors.save();
    return 'COMPLETED';
  } catch {
    return 'REFUSED';
  }
}

async function trim(): Promise<string> {
  await journal.trim();
  return journal.status().bytes <= 700 ? 'COMPLETED' : 'REFUSED';
}

function readAll(after: number): Promise<readonly NumberedEntry[]> {
  return readEntries(journal, { sequence: after, timeMs: 0 }, 100_000);
}

function valuesOf(entries: readonly NumberedEntry[]): readonly number[] {
  return entries.flatMap(({ sample }) => (sample === undefined ? [] : [Number(sample.value)]));
}

/** Names entries that are missing without a gap, and gaps that name what is not missing. */
function listHoles(entries: readonly NumberedEntry[]): string[] {
  let next = 1;
  const holes: string[] = [];
  for (const { sequence, gap } of entries) {
    const isRange = gap?.reason === 'DAMAGED' || gap?.reason === 'RETENTION';
    const first = isRange ? sequence - gap.count + 1 : sequence;
    if (first !== next) holes.push(`entry ${first} follows ${next - 1}`);
    if (gap?.reason === 'DAMAGED') holes.push(`${gap.count} entries are damaged`);
    next = sequence + 1;
  }
  return holes;
}

/** Names what a consumer has read, that is neither there nor said to be deleted. */
function listMissing(values: readonly number[]): readonly string[] {
  if (!existsSync(consumedFile)) return [];
  const consumed = readFileSync(consumedFile, 'utf8').split('\n').slice(0, -1).map(Number);
  const oldest = values[0] ?? Infinity;
  const cursor = cursors.find(CONSUMER)?.sequence ?? 0;
  return [
    ...consumed
      .filter((value) => value >= oldest && !values.includes(value))
      .map((value) => `${value} is gone`),
    ...(cursor > journal.tail ? [`the cursor ${cursor} is behind the end ${journal.tail}`] : []),
  ];
}

function say(report: RecordingReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
