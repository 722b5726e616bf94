import { existsSync } from 'node:fs';
import path from 'node:path';

import type { Cancel } from '../../base/clock.ts';
import { describeFault } from '../../base/file/file-fault.ts';
import type { Startable } from '../../base/lifecycle.ts';
import { StoreFailure } from '../../base/store/transaction.ts';
import type { RecordingStop } from '../../plant/journal/lost-entries.ts';
import type { RecorderStatus } from '../../plant/recorder/recorders.ts';
import type { EventLog } from '../../server/event/event-log.ts';
import type { OpenRecording, RecordingConfiguration, RecordingServices } from './open-recording.ts';

/** Directory of journal and history in the data directory. */
const RECORDING_DIRECTORY = 'recording';
// A disk that cannot be used is tried again.
const RETRY_MS = 60_000;

interface RecordingOptions extends Omit<RecordingServices, 'onStop'> {
  readonly events: Pick<EventLog, 'publish'>;
}

/** What is recorded, and whether it is. */
export interface RecordingStatus {
  /** Reason that nothing is recorded; undefined while recording goes on. */
  readonly stop: RecordingStop | undefined;
  /** Bytes of the journal on disk. */
  readonly journalBytes: number;
  readonly recorders: readonly RecorderStatus[];
}

/** Journal, recorders and history once there was a recorder; before, no module is loaded and no file is written. */
export class Recording implements Startable {
  readonly #options: RecordingOptions;
  #open: OpenRecording | undefined;
  #turn: Promise<void> = Promise.resolve();
  #cancelRetry: Cancel | undefined;
  #isStopped = false;
  /** Why the disk cannot be used. */
  #notOpened: RecordingStop | undefined;

  constructor(options: RecordingOptions) {
    this.#options = options;
  }

  /** What is open; undefined before the first recorder, and while the disk cannot be used. */
  get open(): OpenRecording | undefined {
    return this.#open;
  }

  /** Returns what is recorded; undefined without recorders. */
  status(): RecordingStatus | undefined {
    const open = this.#open;
    if (open === undefined)
      return this.#notOpened && { stop: this.#notOpened, journalBytes: 0, recorders: [] };
    const { bytes: journalBytes, stop } = open.journal.status();
    const recorders = open.recorders.list();
    return recorders.length === 0 ? undefined : { stop, journalBytes, recorders };
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
      return;
    }
    try {
      this.#open ??= await this.#load();
      this.#note(undefined);
    } catch (error) {
      const { logger, clock } = this.#options;
      const reason = describeFault(error);
      logger.error('recording.notOpened', { reason, retryAfterSeconds: RETRY_MS / 1000 });
      this.#note({ reason, sinceMs: this.#notOpened?.sinceMs ?? clock.epochMs() });
      this.#cancelRetry = clock.schedule(RETRY_MS, () => void this.apply(configuration));
      return;
    }
    this.#open.apply(configuration);
  }

  #note(stop: RecordingStop | undefined): void {
    const before = this.#notOpened;
    this.#notOpened = stop;
    if ((before === undefined) !== (stop === undefined)) publishStop(this.#options.events, stop);
  }

  /** What was recorded stays readable, and is deleted when it is old, also when no recorder is left. */
  #hasHistory(): boolean {
    return existsSync(path.join(this.#options.dataDirectory, RECORDING_DIRECTORY, 'history.db'));
  }

  async #load(): Promise<OpenRecording> {
    const { openRecording } = await import('./open-recording.ts');
    const { events } = this.#options;
    return openRecording({ ...this.#options, onStop: (stop) => publishStop(events, stop) });
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.close();
  }
}

/** Publishes that recording has stopped, or goes on. */
function publishStop(events: RecordingOptions['events'], stop: RecordingStop | undefined): void {
  if (stop === undefined) events.publish({ type: 'RECORDING_STATE', state: 'RECORDING' });
  else events.publish({ type: 'RECORDING_STATE', state: 'STOPPED', cause: stop.reason });
}
