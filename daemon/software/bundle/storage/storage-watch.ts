import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { BundleError } from '../bundle-error.ts';
import { decideStorage, describeExcess } from './storage-decision.ts';
import type { StorageLimits, StorageState } from './storage-decision.ts';
import type { StorageUsage } from './storage-usage.ts';

/** Storage usage of a bundle, for operators. */
export interface StorageStatus extends Pick<StorageUsage, 'bytes' | 'entries'> {
  readonly limits: StorageLimits;
  /** The bundle can write no file until it has deleted some. */
  readonly isFull: boolean;
}

interface StorageWatchOptions {
  /** Measures; undefined while nothing is known. Counting may end after `maximumEntries`. */
  readonly measure: (maximumEntries: number) => Promise<StorageUsage | undefined>;
  readonly limits: () => StorageLimits;
  readonly intervalMs: number;
  /** Lets the processes of the bundle write files, or makes it impossible. */
  readonly setWritable: (isWritable: boolean) => Promise<void>;
  /** Called once when the bundle is to be stopped. */
  readonly onExceeded: (error: BundleError) => void;
  /** Names the bundle. */
  readonly logger: Logger;
  readonly clock: Clock;
}

// A bundle that is writing is measured more often.
const HASTE = 8;
// Measuring takes a twentieth of a core at most, however long one measurement takes.
const PAUSE_FACTOR = 20;

/** Measures what a bundle stores while it runs, and keeps it within its limits. */
export class StorageWatch {
  readonly #options: StorageWatchOptions;
  #usage: StorageUsage | undefined;
  #state: StorageState = 'FREE';

  constructor(options: StorageWatchOptions) {
    this.#options = options;
  }

  /** Returns the last measurement; undefined before the first one. */
  status(): StorageStatus | undefined {
    if (this.#usage === undefined) return undefined;
    const { bytes, entries } = this.#usage;
    return { bytes, entries, limits: this.#options.limits(), isFull: this.#state !== 'FREE' };
  }

  /** Measures until `signal` aborts or the bundle has exceeded its limits; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, logger } = this.#options;
    let isFailing = false;
    while (!signal.aborted) {
      const startMs = clock.monotonicMs();
      const bytesBefore = this.#usage?.bytes ?? 0;
      try {
        await this.check();
        isFailing = false;
      } catch (error) {
        if (!isFailing) logger.warn('bundle.storageUnmeasured', { error });
        isFailing = true;
      }
      if (this.#state === 'EXCEEDED') return;
      const tookMs = clock.monotonicMs() - startMs;
      const isWriting = (this.#usage?.bytes ?? 0) > bytesBefore;
      const pauseMs = isWriting ? intervalMs / HASTE : intervalMs;
      await delay(clock, Math.max(pauseMs, PAUSE_FACTOR * tookMs), signal).catch(() => undefined);
    }
  }

  /** Measures once, and acts on a change. */
  async check(): Promise<void> {
    const { measure, limits, setWritable, onExceeded, logger } = this.#options;
    const allowed = limits();
    const usage = await measure(allowed.entries);
    if (usage === undefined) return;
    const state = decideStorage(usage, allowed, this.#state);
    const isChanged = state !== this.#state;
    this.#usage = usage;
    this.#state = state;
    // Also without a change: the process may just have been started, or have new children.
    if (state === 'FULL') await setWritable(false);
    if (!isChanged) return;
    const { bytes, entries } = usage;
    if (state === 'EXCEEDED') {
      onExceeded(new BundleError('BUNDLE_STORAGE_EXCEEDED', describeExcess(usage, allowed)));
      return;
    }
    if (state === 'FREE') await setWritable(true);
    const fields = { bytes, entries, maximumBytes: allowed.bytes };
    if (state === 'FULL') logger.warn('bundle.storageFilled', fields);
    else logger.info('bundle.storageFreed', fields);
  }
}
