import { Cursors, cursorMigrations } from '../../../../daemon/plant/journal/cursors.ts';
import { Journal } from '../../../../daemon/plant/journal/journal.ts';
import type { JournalBounds } from '../../../../daemon/plant/journal/journal.ts';
import type { NumberedEntry, Sample } from '../../../../daemon/plant/journal/sample.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { readEntries } from '../../../support/journal-entries.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

export const NO_BOUNDS: JournalBounds = {
  maximumBytes: 2 ** 40,
  maximumAgeMs: 2 ** 45,
  reservedBytes: 0,
};

const SEGMENT_BYTES = 20_000;

/** A journal with its surroundings; `reopen` is what a restart of the process does. */
export function createJournalBench(t: Owner, bounds: JournalBounds = NO_BOUNDS) {
  const directory = createTemporaryDirectory(t);
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const store = openStore(':memory:', [cursorMigrations]);
  const opened: Journal[] = [];
  t.after(async () => {
    for (const journal of opened) await journal.close();
  });
  const state = { bounds, isClockSet: true };
  return {
    directory,
    clock,
    logger,
    state,
    cursors: new Cursors(store),
    /** Opens the journal; one that is open is left as a killed process leaves it. */
    reopen: async (): Promise<Journal> => {
      const journal = await Journal.open({
        directory,
        cursors: new Cursors(store),
        bounds: () => state.bounds,
        segmentBytes: SEGMENT_BYTES,
        isClockSet: () => state.isClockSet,
        logger,
        clock,
      });
      opened.push(journal);
      return journal;
    },
  };
}

/** Creates a sample of the channel `boiler/flowTemperature`. */
export function sampleOf(value: number, takenAtMs: number, channel = 'flowTemperature'): Sample {
  return {
    series: { asset: 'boiler', channel, valueType: 'DOUBLE' },
    recorders: ['minute'],
    value,
    quality: 'GOOD',
    timestampMs: takenAtMs - 3,
    takenAtMs,
  };
}

/** Reads all entries after a number, in pages. */
export async function readAll(journal: Journal, after = 0, limit = 7): Promise<readonly NumberedEntry[]> {
  const entries: NumberedEntry[] = [];
  for (let sequence = after; ;) {
    const page = await readEntries(journal, { sequence, timeMs: 0 }, limit);
    entries.push(...page);
    const last = page.at(-1);
    if (last === undefined) return entries;
    ({ sequence } = last);
  }
}

/** Returns the values of the samples. */
export function valuesOf(entries: readonly NumberedEntry[]): readonly unknown[] {
  return entries.flatMap(({ sample }) => (sample === undefined ? [] : [sample.value]));
}
