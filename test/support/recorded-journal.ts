import path from 'node:path';

import { systemClock } from '../../daemon/base/clock.ts';
import { openStore } from '../../daemon/base/store/store.ts';
import { Cursors, cursorMigrations } from '../../daemon/plant/journal/cursors.ts';
import { Journal } from '../../daemon/plant/journal/journal.ts';
import type { JournalBounds } from '../../daemon/plant/journal/journal.ts';
import type { Gap, Sample } from '../../daemon/plant/journal/sample.ts';
import type { JournaledRecorder, OpenJournal } from '../../daemon/software/bridge/journal/bundle-journals.ts';
import { createMemoryLogger } from './memory-logger.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

const BOUNDS: JournalBounds = { maximumBytes: 2 ** 40, maximumAgeMs: 2 ** 45, reservedBytes: 0 };

/** Makes a sample of channel `level` of asset `tank` that recorder `fast` took. */
export function createSample(fields: Partial<Sample> & { readonly channel?: string } = {}): Sample {
  const { channel = 'level', ...given } = fields;
  return {
    series: { asset: 'tank', channel, valueType: 'DOUBLE' },
    recorders: ['fast'],
    value: 1,
    quality: 'GOOD',
    timestampMs: 1_700_000_000_000,
    takenAtMs: 1_700_000_000_000,
    ...given,
  };
}

/** A journal on disk with recorders that a test adds and removes. */
export async function createRecordedJournal(owner: Owner, bounds: JournalBounds = BOUNDS) {
  const store = openStore(':memory:', [cursorMigrations]);
  const cursors = new Cursors(store);
  const journal = await Journal.open({
    directory: path.join(createTemporaryDirectory(owner), 'journal'),
    cursors,
    bounds: () => bounds,
    isClockSet: () => true,
    segmentBytes: 2000,
    logger: createMemoryLogger(),
    clock: systemClock,
  });
  owner.after(async () => {
    await journal.close();
    store.close();
  });
  const recorders: JournaledRecorder[] = [{ pid: 'fast', assets: [{ asset: 'tank' }] }];
  const open: OpenJournal = { journal, cursors, listRecorders: () => recorders };
  return {
    ...open,
    journal,
    cursors,
    recorders,
    open,
    /** Writes samples to the disk. */
    record: async (...samples: readonly Sample[]): Promise<void> => {
      journal.append(samples.map((sample) => ({ sample })));
      await journal.flush();
    },
    recordGap: async (gap: Gap): Promise<void> => {
      journal.append([{ gap }]);
      await journal.flush();
    },
  };
}
