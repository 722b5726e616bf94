import path from 'node:path';

import { isPlausibleTime } from '../base/clock-check.ts';
import { Cursors, cursorMigrations } from '../plant/journal/cursors.ts';
import { Journal } from '../plant/journal/journal.ts';
import { Recorders } from '../plant/recorder/recorders.ts';
import { recordingSchema } from '../settings/recorder-settings.ts';
import type { RecordingSettings } from '../settings/recorder-settings.ts';
import { publishStop } from './recording.ts';
import type { RecordingConfiguration, RecordingOptions } from './recording.ts';

const DAY_MS = 86_400_000;
/** Directory of journal and history in the data directory. */
const DIRECTORY = 'recording';
// Segments are kept until every consumer has read them; half of the room is for history.
const JOURNAL_SHARE = 0.5;

/** Journal and recorders that are open. */
export interface OpenRecording {
  readonly journal: Journal;
  readonly recorders: Recorders;
  apply(configuration: RecordingConfiguration): void;
  close(): Promise<void>;
}

/**
 * Constructs journal and recorders.
 *
 * @throws errors of the file system, {StoreError} and {StoreFailure}
 */
export async function openRecording(options: RecordingOptions): Promise<OpenRecording> {
  const { store, dataDirectory, registry, events, logger, clock } = options;
  let settings: RecordingSettings = recordingSchema.parse({});
  store.migrate(cursorMigrations);
  const cursors = new Cursors(store);
  const journal = await Journal.open({
    directory: path.join(dataDirectory, DIRECTORY, 'journal'),
    cursors,
    bounds: () => ({
      maximumBytes: settings.maximumBytes * JOURNAL_SHARE,
      maximumAgeMs: settings.maximumAgeDays * DAY_MS,
      reservedBytes: settings.reservedBytes,
    }),
    onStop: (stop) => publishStop(events, stop),
    isClockSet: () => isPlausibleTime(clock.epochMs()),
    logger,
    clock,
  });
  const recorders = new Recorders({ findAsset: (pid) => registry.find(pid), journal, clock });
  return {
    journal,
    recorders,
    apply({ recorders: configs, recording }) {
      settings = recording;
      recorders.apply(configs);
    },
    async close() {
      recorders.stop();
      await journal.close();
    },
  };
}
