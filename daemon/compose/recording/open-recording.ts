import path from 'node:path';

import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Store } from '../../base/store/store.ts';
import type { ManagedConfiguration } from '../../configuration/managed-document.ts';
import type { AssetRegistry } from '../../plant/asset/asset-registry.ts';
import type { RecordingStop } from '../../plant/journal/lost-entries.ts';
import { isPlausibleTime } from '../../base/clock-check.ts';
import { Cursors, cursorMigrations } from '../../plant/journal/cursors.ts';
import { Journal } from '../../plant/journal/journal.ts';
import { Recorders } from '../../plant/recorder/recorders.ts';
import { recordingSchema } from '../../settings/recorder-settings.ts';
import type { RecordingSettings } from '../../settings/recorder-settings.ts';

const DAY_MS = 86_400_000;
/** Directory of journal and history in the data directory. */
const DIRECTORY = 'recording';
// Segments are kept until every consumer has read them; half of the room is for history.
const JOURNAL_SHARE = 0.5;

/** Services that recording needs. */
export interface RecordingServices {
  readonly store: Store;
  readonly dataDirectory: string;
  readonly registry: Pick<AssetRegistry, 'find'>;
  /** Called when recording stops and when it goes on. */
  readonly onStop: (stop: RecordingStop | undefined) => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The part of the configuration that says what is recorded. */
export type RecordingConfiguration = Pick<ManagedConfiguration, 'recorders' | 'recording'>;

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
export async function openRecording(options: RecordingServices): Promise<OpenRecording> {
  const { store, dataDirectory, registry, onStop, logger, clock } = options;
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
    onStop,
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
