import type { Time } from '../../bundles/mqtt/time.ts';
import type {
  BundleJournal,
  BundleJournalRead,
  JournalBatch,
  RecordedChannels,
} from '../../daemon/software/bundle/runner/context.ts';

export interface MadeUpJournalOptions {
  /** Number of channels; each one has a sample in each interval. */
  readonly channels: number;
  readonly intervalMs: number;
  readonly time: Time;
  /** True: each value is the number of its sample; false: a temperature. */
  readonly isNumbered?: boolean;
}

const ASSET = 'line';

/**
 * A journal whose samples are computed from the time: all channels are recorded at an interval, and nothing is kept.
 *
 * Samples are numbered from 1; those of one interval follow each other in the order of the channels.
 */
export class MadeUpJournal implements BundleJournal {
  readonly #options: MadeUpJournalOptions;
  readonly #startMs: number;
  readonly #series: JournalBatch['series'];
  #acknowledged = 0;
  #endMs = Infinity;

  constructor(options: MadeUpJournalOptions) {
    this.#options = options;
    this.#startMs = options.time.nowMs();
    this.#series = Array.from({ length: options.channels }, (_, index) => ({
      asset: ASSET,
      channel: `channel${index}`,
      valueType: 'DOUBLE',
    }));
  }

  /** Ends the recording: no sample follows. */
  end(): void {
    this.#endMs = this.#options.time.nowMs();
  }

  /** Sequence number of the newest sample. */
  get newest(): number {
    const { channels, intervalMs, time } = this.#options;
    const nowMs = Math.min(time.nowMs(), this.#endMs);
    return Math.floor((nowMs - this.#startMs) / intervalMs) * channels;
  }

  /** Number of samples that were not acknowledged. */
  get unacknowledged(): number {
    return this.newest - this.#acknowledged;
  }

  tail(): Promise<number> {
    return Promise.resolve(this.newest);
  }

  acknowledged(): Promise<number> {
    return Promise.resolve(this.#acknowledged);
  }

  channels({ known }: { readonly known?: string | undefined } = {}): Promise<RecordedChannels | undefined> {
    const channels = this.#series.map((series) => ({ ...series, isWritable: false }));
    return Promise.resolve(known === undefined ? { revision: 'made-up', channels } : undefined);
  }

  acknowledge(cursor: number): Promise<void> {
    this.#acknowledged = Math.max(this.#acknowledged, cursor);
    return Promise.resolve();
  }

  async read({
    after = this.#acknowledged,
    limit = 5000,
    waitMs = 0,
    signal = new AbortController().signal,
  }: BundleJournalRead = {}): Promise<JournalBatch> {
    if (after >= this.newest) await this.#options.time.sleep(this.#waitAfter(after, waitMs), signal);
    const tail = this.newest;
    return this.#createBatch(after, Math.min(tail, after + limit), tail);
  }

  #waitAfter(after: number, waitMs: number): number {
    const { channels, time } = this.#options;
    // A timer may be early by a millisecond.
    const nextMs = this.#takenAt(after + channels) - time.nowMs() + 1;
    return Math.max(0, Math.min(waitMs, nextMs));
  }

  #takenAt(sequence: number): number {
    const { channels, intervalMs } = this.#options;
    return Math.ceil(this.#startMs + Math.ceil(sequence / channels) * intervalMs);
  }

  #createBatch(after: number, next: number, tail: number): JournalBatch {
    const { channels, isNumbered = false } = this.#options;
    const sequences = Array.from({ length: Math.max(0, next - after) }, (_, index) => after + 1 + index);
    const takenAt = sequences.map((sequence) => this.#takenAt(sequence));
    return {
      series: this.#series,
      sequences,
      seriesIndexes: sequences.map((sequence) => (sequence - 1) % channels),
      // A temperature has one decimal.
      values: isNumbered ? sequences : sequences.map((sequence) => 60 + ((sequence * 7) % 101) / 10),
      qualities: sequences.map(() => 'GOOD'),
      statuses: sequences.map(() => undefined),
      timestamps: takenAt,
      takenAt,
      gaps: [],
      next: Math.max(after, next),
      tail,
    };
  }
}
