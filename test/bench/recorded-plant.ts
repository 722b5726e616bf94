import { mkdirSync } from 'node:fs';
import path from 'node:path';

import type { Clock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import { History } from '../../daemon/plant/history/history.ts';
import { Cursors, cursorMigrations } from '../../daemon/plant/journal/cursors.ts';
import { Journal } from '../../daemon/plant/journal/journal.ts';
import type { Sample, Series } from '../../daemon/plant/journal/sample.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import type { Bench } from './bench.ts';
import { sequence } from './plant.ts';

/** Journal and history without a gateway. */
interface RecordedPlant {
  readonly journal: Journal;
  readonly history: History;
  /** Stores everything, and closes the files. */
  close(): Promise<void>;
}

/** Opens journal and history below a directory as a gateway has them; the journal keeps everything. */
export async function openRecordedPlant(
  bench: Bench,
  directory: string,
  clock: Clock,
): Promise<RecordedPlant> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const logger = createMemoryLogger();
  const store = openStore(':memory:', [cursorMigrations]);
  const cursors = new Cursors(store);
  // A consumer that is away keeps the journal from being trimmed.
  cursors.acknowledge({ consumer: 'north', sequence: 0, timeMs: clock.epochMs() });
  const bounds = () => ({ maximumBytes: 2 ** 40, maximumAgeMs: 2 ** 45, reservedBytes: 0 });
  const runtime = { cursors, bounds, logger, clock };
  const journal = await Journal.open({
    directory: path.join(directory, 'journal'),
    isClockSet: () => true,
    ...runtime,
  });
  const history = await History.open({ journal, directory, ...runtime });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await history.close();
    await journal.close();
    store.close();
  };
  bench.after(close);
  return { journal, history, close };
}

/**
 * Resolves when the history has read what the journal has on disk.
 *
 * @throws {Error} if one of them refuses samples
 */
export async function catchUp({ journal, history }: RecordedPlant): Promise<void> {
  const refusal = journal.status().stop ?? history.status().fault;
  if (refusal !== undefined) throw new Error(`samples were refused: ${refusal.reason}`);
  while (history.status().lag > 0) await new Promise((resolve) => setImmediate(resolve));
}

const SAMPLES_AT_ONCE = 600;

/** Samples of an asset, at a steady pace. */
export interface RecordedTime {
  readonly beginMs: number;
  /** Number of samples of each channel, one each second. */
  readonly seconds: number;
  readonly channels: number;
}

/** Fills the folder `recording` of a gateway that does not run. */
export async function recordSeconds(
  bench: Bench,
  directory: string,
  { beginMs, seconds, channels }: RecordedTime,
): Promise<void> {
  const clock = new ManualClock(beginMs);
  const plant = await openRecordedPlant(bench, directory, clock);
  const series = createSeries(channels);
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1000);
    const takenAtMs = clock.epochMs() - 1000;
    plant.journal.append(series.map((each, index) => ({ sample: createSample(each, index, takenAtMs) })));
    if (second % SAMPLES_AT_ONCE < SAMPLES_AT_ONCE - 1 && second < seconds - 1) continue;
    await plant.journal.flush();
    await catchUp(plant);
  }
  await plant.close();
}

/** Creates the series of an asset of the bench. */
export function createSeries(count: number, asset = 'ten'): readonly Series[] {
  return sequence(count).map((index) => ({
    asset,
    channel: `channel${String(index).padStart(5, '0')}`,
    valueType: index % 4 === 3 ? 'BOOLEAN' : index % 4 === 2 ? 'INTEGER' : 'DOUBLE',
  }));
}

/** Creates a sample of a plant: temperatures with one decimal, counters, and switches. */
export function createSample(series: Series, index: number, takenAtMs: number): Sample {
  return {
    series,
    recorders: ['second'],
    value: valueOf(index, Math.floor(takenAtMs / 1000)),
    quality: 'GOOD',
    timestampMs: takenAtMs,
    takenAtMs,
  };
}

function valueOf(index: number, second: number): Sample['value'] {
  if (index % 4 === 3) return Math.floor(second / 600 + index) % 2 === 0;
  if (index % 4 === 2) return Math.floor(second / 3) + index;
  // Without a period that a compression could find.
  const noise = Math.sin(second * 12.9898 + index * 78.233) * 43_758.5453;
  const value = 60 + 5 * Math.sin(second / 900 + index) + 0.2 * (noise - Math.floor(noise));
  return Math.round(value * 10) / 10;
}
