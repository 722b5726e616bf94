import { existsSync } from 'node:fs';
import path from 'node:path';

import type { Cancel } from '../../base/clock.ts';
import { codeOfFault, describeFault } from '../../base/file/file-fault.ts';
import type { Startable } from '../../base/lifecycle.ts';
import { RECORDING_DIRECTORY } from '../../base/store/store-copy.ts';
import { StoreFailure } from '../../base/store/transaction.ts';
import type { RecordingStop } from '../../plant/journal/lost-entries.ts';
import type { RecorderStatus } from '../../plant/recorder/recorders.ts';
import type { EventLog } from '../../server/event/event-log.ts';
import type {
  JournalConsumer,
  OpenRecording,
  RecordingConfiguration,
  RecordingServices,
} from './open-recording.ts';
import { RecordingEvents } from './recording-events.ts';

// A disk that cannot be used is tried again.
const RETRY_MS = 60_000;

interface RecordingOptions extends Omit<RecordingServices, 'onStop' | 'onFault'> {
  readonly events: Pick<EventLog, 'publish'>;
}

/** What is recorded, and whether it is. */
export interface RecordingStatus {
  /** Reason that nothing is recorded; undefined while recording goes on. */
  readonly stop: RecordingStop | undefined;
  /** Reason that the history stores nothing, while the journal does; undefined while it stores. */
  readonly historyFault: RecordingStop | undefined;
  readonly historyBytes: number;
  /** The readers of the journal. */
  readonly consumers: readonly JournalConsumer[];
  /** Bytes of the journal on disk. */
  readonly journalBytes: number;
  readonly recorders: readonly RecorderStatus[];
}

const NOTHING = { historyFault: undefined, historyBytes: 0, consumers: [], journalBytes: 0, recorders: [] };

/** Journal, recorders and history once there was a recorder; before, no module is loaded and no file is written. */
export class Recording implements Startable {
  readonly #options: RecordingOptions;
  readonly #events: RecordingEvents;
  #open: OpenRecording | undefined;
  #turn: Promise<void> = Promise.resolve();
  #cancelRetry: Cancel | undefined;
  #isStopped = false;
  /** Why the disk cannot be used. */
  #notOpened: RecordingStop | undefined;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#events = new RecordingEvents(options.events);
  }

  /** What is open; undefined before the first recorder, and while the disk cannot be used. */
  get open(): OpenRecording | undefined {
    return this.#open;
  }

  /** Returns what is recorded; undefined without recorders. */
  status(): RecordingStatus | undefined {
    const open = this.#open;
    if (open === undefined) return this.#notOpened && { ...NOTHING, stop: this.#notOpened };
    const recorders = open.recorders.list();
    if (recorders.length === 0) return undefined;
    const { bytes: journalBytes, stop } = open.journal.status();
    const { bytes: historyBytes, fault: historyFault } = open.history.status();
    const consumers = open.listConsumers();
    return { stop, historyFault, historyBytes, consumers, journalBytes, recorders };
  }

  /**
   * Copies what is recorded into the data directory, for backups; see `RecordingCopier`. Nothing is copied where nothing was recorded.
   *
   * @throws {StoreFailure} `STORE_FULL` or `STORE_FAILED`
   */
  async copy(signal: AbortSignal): Promise<void> {
    await this.#turn;
    if (this.#notOpened === undefined) return this.#open?.copy(signal);
    const detail = `recorded samples were not copied: ${this.#notOpened.reason}`;
    throw new StoreFailure({ code: 'STORE_FAILED', detail, retryAfterSeconds: RETRY_MS / 1000 });
  }

  /** Records as configured. A disk that cannot be used is logged and tried again; it stops nothing else. */
  apply(configuration: RecordingConfiguration): Promise<void> {
    const applied = this.#turn.then(() => this.#apply(configuration));
    this.#turn = applied;
    return applied;
  }

  /**
   * Forgets the consumers of the journal whose names begin like this, also while it is not open.
   *
   * @throws {StoreFailure}
   */
  async removeConsumers(start: string): Promise<void> {
    await this.#turn;
    const { findCursors } = await import('./open-recording.ts');
    const cursors = this.#open?.cursors ?? findCursors(this.#options.store);
    for (const { consumer } of cursors?.list() ?? [])
      if (consumer.startsWith(start)) cursors?.remove(consumer);
  }

  async start(): Promise<void> {
    // The plant is applied before, and recording with it.
  }

  /** Writes what is pending, and closes the files. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry?.();
    await this.#turn;
    await this.#close();
  }

  async #apply(configuration: RecordingConfiguration): Promise<void> {
    this.#cancelRetry?.();
    if (this.#isStopped) return;
    if (configuration.recorders.length === 0 && !this.#hasHistory()) {
      this.#notOpened = undefined;
      await this.#close();
      this.#events.forget();
      return;
    }
    try {
      this.#open ??= await this.#load();
      this.#note(undefined);
    } catch (error) {
      const { logger, clock } = this.#options;
      const reason = describeFault(error);
      logger.error('recording.notOpened', { reason, retryAfterSeconds: RETRY_MS / 1000 });
      const sinceMs = this.#notOpened?.sinceMs ?? clock.epochMs();
      this.#note({ reason, code: codeOfFault(error), sinceMs });
      this.#cancelRetry = clock.schedule(RETRY_MS, () => void this.apply(configuration));
      return;
    }
    this.#open.apply(configuration);
  }

  #note(stop: RecordingStop | undefined): void {
    this.#notOpened = stop;
    this.#events.noteOpening(stop);
  }

  /** What was recorded stays readable, and is deleted when it is old, also when no recorder is left. */
  #hasHistory(): boolean {
    return existsSync(path.join(this.#options.dataDirectory, RECORDING_DIRECTORY, 'history.db'));
  }

  async #load(): Promise<OpenRecording> {
    const { openRecording } = await import('./open-recording.ts');
    return openRecording({
      ...this.#options,
      onStop: (stop) => this.#events.noteJournal(stop),
      onFault: (fault) => this.#events.noteHistory(fault),
    });
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.close();
  }
}
