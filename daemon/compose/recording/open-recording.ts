import path from 'node:path';

import { isPlausibleTime } from '../../base/clock-check.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { RECORDING_DIRECTORY } from '../../base/store/store-copy.ts';
import type { Store } from '../../base/store/store.ts';
import type { ManagedConfiguration } from '../../configuration/managed-document.ts';
import type { AssetRegistry } from '../../plant/asset/asset-registry.ts';
import { History } from '../../plant/history/history.ts';
import { Cursors, cursorMigrations, hasCursors } from '../../plant/journal/cursors.ts';
import { Journal } from '../../plant/journal/journal.ts';
import type { RecordingStop } from '../../plant/journal/lost-entries.ts';
import { Recorders } from '../../plant/recorder/recorders.ts';
import type { RecorderConfig } from '../../plant/recorder/recorders.ts';
import type { RecordedHistory } from '../../server/rest/plant/history-routes.ts';
import { recordingSchema } from '../../settings/recorder-settings.ts';
import type { RecordingSettings } from '../../settings/recorder-settings.ts';
import { createRecordingCopier, removeRecordingCopy } from './recording-copy.ts';
import type { RecordingCopier } from './recording-copy.ts';
import type { RecordingHost } from './recording-host.ts';

const DAY_MS = 86_400_000;
// The journal is short unless a consumer is away; the history has the rest.
const JOURNAL_SHARE = 0.5;

/** Services that recording needs. */
export interface RecordingServices {
  readonly store: Store;
  readonly dataDirectory: string;
  readonly registry: Pick<AssetRegistry, 'find'>;
  /** Called when recording stops and when it goes on. */
  readonly onStop: (stop: RecordingStop | undefined) => void;
  /** Called when the history stores nothing any more, and when it goes on. */
  readonly onFault: (fault: RecordingStop | undefined) => void;
  readonly host?: RecordingHost | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The part of the configuration that says what is recorded. */
export type RecordingConfiguration = Pick<ManagedConfiguration, 'recorders' | 'recording'>;

/** A reader of the journal, and how far it is behind. */
export interface JournalConsumer {
  readonly consumer: string;
  readonly lagSamples: number;
  readonly lagBytes: number;
  readonly lagSeconds: number;
}

/** Journal, recorders and history that are open. */
export interface OpenRecording extends RecordingCopier {
  readonly journal: Journal;
  readonly recorders: Recorders;
  readonly history: History;
  readonly cursors: Cursors;
  /** Lists the recorders that are configured. */
  listRecorders(): RecordingConfiguration['recorders'];
  /** Lists what is kept of each recorder. */
  listRecorded(): Promise<readonly RecordedHistory[]>;
  /** Lists the readers of the journal, and how far they are behind. */
  listConsumers(): readonly JournalConsumer[];
  apply(configuration: RecordingConfiguration): void;
  close(): Promise<void>;
}

/**
 * Constructs journal, recorders and history.
 *
 * @throws errors of the file system, {StoreError} and {StoreFailure}
 */
export async function openRecording(options: RecordingServices): Promise<OpenRecording> {
  const { store, dataDirectory, registry, onStop, onFault, host = {}, logger, clock } = options;
  let settings: RecordingSettings = recordingSchema.parse({});
  let configs: RecordingConfiguration['recorders'] = [];
  store.migrate(cursorMigrations);
  const cursors = new Cursors(store);
  const directory = path.join(dataDirectory, RECORDING_DIRECTORY);
  const { limits } = host;
  const maximumAgeMs = (): number =>
    Math.min(settings.maximumAgeDays * DAY_MS, limits?.maximumAgeMs ?? Infinity);
  await removeRecordingCopy(dataDirectory);
  const journal = await Journal.open({
    directory: path.join(directory, 'journal'),
    cursors,
    bounds: () => ({
      maximumBytes: Math.min(settings.maximumBytes * JOURNAL_SHARE, limits?.journalBytes ?? Infinity),
      maximumAgeMs: maximumAgeMs(),
      reservedBytes: settings.reservedBytes,
    }),
    onStop(stop) {
      if (stop === undefined) recorders.renew();
      onStop(stop);
    },
    segmentBytes: limits?.segmentBytes,
    measureDisk: host.measureDisk,
    isClockSet: () => isPlausibleTime(clock.epochMs()),
    logger,
    clock,
  });
  const history = await openHistory({
    journal,
    cursors,
    directory,
    bounds: () => ({
      maximumBytes: Math.min(
        Math.max(0, settings.maximumBytes - journal.status().bytes),
        limits?.historyBytes ?? Infinity,
      ),
      maximumAgeMs: maximumAgeMs(),
    }),
    onFault,
    logger,
    clock,
  });
  const reservedBytes = (): number => settings.reservedBytes;
  const copier = createRecordingCopier({ dataDirectory, journal, history, reservedBytes });
  const measure = createMeasure(history, options);
  const recorders = new Recorders({
    findAsset: (pid) => registry.find(pid),
    journal: host.observe?.(journal, cursors) ?? journal,
    clock,
  });
  return {
    journal,
    recorders,
    history,
    cursors,
    listRecorders: () => configs,
    copy: (signal) => copier.copy(signal),
    async listRecorded() {
      const recorded: RecordedHistory[] = [];
      const open = listOpen(history);
      for (const config of configs) recorded.push(await measure(config, open));
      return recorded;
    },
    listConsumers: () =>
      cursors.list().map(({ consumer, sequence, timeMs }) => {
        const lagSamples = Math.max(0, journal.tail - sequence);
        const lagSeconds = lagSamples === 0 ? 0 : Math.max(0, clock.epochMs() - timeMs) / 1000;
        return { consumer, lagSamples, lagBytes: journal.bytesAfter(sequence), lagSeconds };
      }),
    apply({ recorders: wanted, recording }) {
      settings = recording;
      configs = wanted;
      recorders.apply(wanted);
    },
    async close() {
      recorders.stop();
      await journal.flush();
      await history.close();
      await journal.close();
    },
  };
}

/** Returns the cursors of a journal that is not open; undefined if there never was one. */
export function findCursors(store: Store): Cursors | undefined {
  return hasCursors(store) ? new Cursors(store) : undefined;
}

/** Opens the history, and closes the journal if that fails. */
async function openHistory(options: Parameters<typeof History.open>[0] & { readonly journal: Journal }) {
  try {
    return await History.open(options);
  } catch (error) {
    await options.journal.close();
    throw error;
  }
}

/** What is known of the samples of a channel that may not be on disk yet. */
interface OpenChannel {
  readonly fromMs: number;
  readonly bytes: number;
}

/** By the keys of the channels. */
type OpenChannels = ReadonlyMap<string, OpenChannel>;

const NOTHING_OPEN: OpenChannel = { fromMs: Infinity, bytes: 0 };

function listOpen(history: History): OpenChannels {
  const open = new Map<string, OpenChannel>();
  history.forEachOpen(({ series, fromMs, unsavedBytes }) => {
    const key = keyOfChannel(series);
    const known = open.get(key) ?? NOTHING_OPEN;
    open.set(key, { fromMs: Math.min(fromMs, known.fromMs), bytes: known.bytes + unsavedBytes });
  });
  return open;
}

function keyOfChannel({ asset, channel }: { readonly asset: string; readonly channel: string }): string {
  return `${asset}\n${channel}`;
}

// Channels that are measured before other work has its turn.
const MEASURED_AT_ONCE = 20;

/** Creates a function that measures what is kept of a recorder. */
function createMeasure(
  history: History,
  { registry, clock }: Pick<RecordingServices, 'registry' | 'clock'>,
): (config: RecorderConfig, open: OpenChannels) => Promise<RecordedHistory> {
  return async ({ pid, assets }, open) => {
    const channels = assets.flatMap(({ asset, channels: names = registry.find(asset)?.sampledNames ?? [] }) =>
      names.map((channel) => ({ asset, channel })),
    );
    let [bytes, oldestMs] = [0, Infinity];
    for (let start = 0; start < channels.length; start += MEASURED_AT_ONCE) {
      const some = channels.slice(start, start + MEASURED_AT_ONCE);
      const part = history.measure(some);
      const waiting = some.map((channel) => open.get(keyOfChannel(channel)) ?? NOTHING_OPEN);
      bytes += waiting.reduce((sum, each) => sum + each.bytes, part.bytes);
      oldestMs = Math.min(oldestMs, part.oldestMs ?? Infinity, ...waiting.map(({ fromMs }) => fromMs));
      await clock.spareTurn();
    }
    const oldest = oldestMs === Infinity ? undefined : oldestMs;
    return { recorder: pid, assets, bytes, oldestMs: oldest };
  };
}
