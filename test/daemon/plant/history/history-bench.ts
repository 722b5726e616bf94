import { copyFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { History } from '../../../../daemon/plant/history/history.ts';
import type { HistoryQuery, HistoryRow } from '../../../../daemon/plant/history/history-query.ts';
import type { SampleRow } from '../../../../daemon/plant/history/sample-order.ts';
import type { HistoryBounds } from '../../../../daemon/plant/history/history-retention.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { Cursors, cursorMigrations } from '../../../../daemon/plant/journal/cursors.ts';
import { Journal } from '../../../../daemon/plant/journal/journal.ts';
import type { Sample } from '../../../../daemon/plant/journal/sample.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { NO_BOUNDS } from '../journal/plain-journal.ts';

/** A journal with a history; `openHistory` after `moveToCopy` is what a start after a loss of power does. */
export function createHistoryBench(t: Owner) {
  const journalDirectory = createTemporaryDirectory(t);
  const state = { directory: createTemporaryDirectory(t), run: 0 };
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const store = openStore(':memory:', [cursorMigrations]);
  const cursors = new Cursors(store);
  const opened: { close(): Promise<void> }[] = [];
  t.after(async () => {
    for (const each of opened.toReversed()) await each.close();
    store.close();
  });
  const bounds: { current: HistoryBounds } = { current: { maximumBytes: 2 ** 40, maximumAgeMs: 2 ** 45 } };
  const faults: (string | undefined)[] = [];
  return {
    clock,
    logger,
    cursors,
    bounds,
    /** Reasons that nothing was stored; undefined when it went on. */
    faults,
    get historyFile() {
      return path.join(state.directory, 'history.db');
    },
    /** Goes on with the files as they are at this moment, as after a loss of power. */
    moveToCopy() {
      const copy = createTemporaryDirectory(t);
      for (const name of readdirSync(state.directory))
        copyFileSync(path.join(state.directory, name), path.join(copy, name));
      state.directory = copy;
      state.run += 1;
    },
    async openJournal(): Promise<Journal> {
      const journal = await Journal.open({
        directory: journalDirectory,
        cursors,
        bounds: () => NO_BOUNDS,
        isClockSet: () => true,
        logger,
        clock,
      });
      opened.push(journal);
      return journal;
    },
    /** Opens the history of a journal. */
    async openHistory(journal: Journal): Promise<History> {
      const { run } = state;
      const history = await History.open({
        journal,
        cursors: {
          find: (consumer) => cursors.find(consumer),
          acknowledge(cursor) {
            // Not of a process that is gone.
            if (run === state.run) cursors.acknowledge(cursor);
          },
        },
        directory: state.directory,
        bounds: () => bounds.current,
        onFault: (fault) => faults.push(fault?.reason),
        logger,
        clock,
      });
      opened.push(history);
      return history;
    },
  };
}

/** Resolves when the history has read what the journal has on disk. */
export async function catchUp(history: History): Promise<void> {
  while (history.status().lag > 0) await new Promise((resolve) => setImmediate(resolve));
}

/** Reads all rows of a query, page by page. */
export async function readPages(
  history: History,
  query: HistoryQuery,
): Promise<readonly (readonly HistoryRow[])[]> {
  const pages: (readonly HistoryRow[])[] = [];
  for (let { fromMs } = query; ;) {
    const rows: HistoryRow[] = [];
    for await (const some of history.read({ ...query, fromMs })) rows.push(...some);
    pages.push(rows);
    const last = rows.at(-1);
    if (last?.type !== 'NEXT') return pages;
    ({ fromMs } = last);
  }
}

/** A sample as a history keeps it: without the time at which it was taken. */
export type StoredSample = Omit<Sample, 'takenAtMs'>;

/** Returns the sample of a row. */
export function toStored({ series, timeMs, value, tag }: SampleRow): StoredSample {
  return { series, ...tag, value, timestampMs: timeMs };
}
