import type {
  BundleJournal,
  JournalBatch,
  RecordedChannel,
  RecordedChannels,
} from '../../daemon/software/bundle/runner/context.ts';

interface Entry {
  readonly sequence: number;
  readonly asset: string;
  readonly channel: string;
  readonly value: JournalBatch['values'][number];
  readonly valueType: string;
  readonly quality: JournalBatch['qualities'][number];
  readonly timestampMs: number;
  readonly takenAtMs: number;
}

/** A sample that a test takes. */
export interface TakenSample {
  readonly asset: string;
  readonly channel?: string;
  /** Default: its sequence number. */
  readonly value?: JournalBatch['values'][number];
  readonly valueType?: string;
  readonly quality?: JournalBatch['qualities'][number];
  readonly timestampMs?: number;
  /** Default: its sequence number, so that each is taken alone. */
  readonly takenAtMs?: number;
}

/** A journal in memory that behaves as that of the gateway does for one recorder. */
export class MemoryJournal implements BundleJournal {
  /** Cursors that were acknowledged, in order. */
  readonly acknowledgements: number[] = [];
  /** Cursors after which was read, in order. */
  readonly reads: number[] = [];
  #entries: Entry[] = [];
  #gaps: JournalBatch['gaps'][number][] = [];
  #tail = 0;
  #acknowledged: number | undefined;
  #failure: Error | undefined;
  #channels: readonly RecordedChannel[] = [];
  #revision = 0;
  readonly #waiting = new Set<() => void>();

  /** Takes a sample, and skips numbers as samples of other recorders do. */
  take(asset: string, channel = 'value', skipped = 0): number {
    this.#tail += 1 + skipped;
    return this.#push({ asset, channel });
  }

  /** Takes a sample with a value, type, quality or time of its own. */
  takeSample(sample: TakenSample): number {
    this.#tail += 1;
    return this.#push(sample);
  }

  /** Replaces the channels that the recorder takes. */
  define(channels: readonly RecordedChannel[]): void {
    this.#channels = channels;
    this.#revision += 1;
  }

  /** Deletes the entries up to a cursor, as the retention does. */
  trim(upTo: number): void {
    const lost = this.#entries.filter(({ sequence }) => sequence <= upTo);
    this.#entries = this.#entries.filter(({ sequence }) => sequence > upTo);
    this.#gaps.push({ sequence: upTo, reason: 'RETENTION', fromMs: 0, toMs: upTo, count: lost.length });
  }

  /** Lets every call fail; undefined: none. */
  fail(error: Error | undefined): void {
    this.#failure = error;
  }

  /** Resolves when a cursor is acknowledged that is at least this one. */
  acknowledgedUpTo(cursor: number): Promise<void> {
    return this.#when(() => (this.#acknowledged ?? -1) >= cursor);
  }

  tail(): Promise<number> {
    return this.#answer(() => this.#tail);
  }

  acknowledged(): Promise<number> {
    return this.#answer(() => (this.#acknowledged ??= this.#tail));
  }

  channels({ known }: Parameters<BundleJournal['channels']>[0] = {}): Promise<RecordedChannels | undefined> {
    return this.#answer(() => {
      const revision = String(this.#revision);
      return revision === known ? undefined : { revision, channels: this.#channels };
    });
  }

  acknowledge(cursor: number): Promise<void> {
    return this.#answer(() => {
      if (cursor < (this.#acknowledged ?? 0)) throw new Error(`acknowledged ${cursor} after a later one`);
      if (cursor > this.#tail) throw new Error(`acknowledged ${cursor}, beyond the tail`);
      this.#acknowledged = cursor;
      this.acknowledgements.push(cursor);
      this.#wake();
    });
  }

  async read({
    after = this.#acknowledged ?? 0,
    limit = 1000,
    waitMs = 0,
    signal,
  }: Parameters<BundleJournal['read']>[0] = {}): Promise<JournalBatch> {
    this.reads.push(after);
    await this.#answer(() => undefined);
    if (waitMs > 0 && this.#tail <= after) await this.#whenOrAborted(() => this.#tail > after, signal);
    const entries = this.#entries.filter(({ sequence }) => sequence > after).slice(0, limit);
    const next = entries.length === limit ? (entries.at(-1)?.sequence ?? this.#tail) : this.#tail;
    const keyOf = ({ asset, channel, valueType }: Entry): string => `${asset}/${channel}/${valueType}`;
    const names = [...new Set(entries.map(keyOf))];
    return {
      series: names.map((name) => {
        const [asset = '', channel = '', valueType = ''] = name.split('/');
        return { asset, channel, valueType };
      }),
      sequences: entries.map(({ sequence }) => sequence),
      seriesIndexes: entries.map((entry) => names.indexOf(keyOf(entry))),
      values: entries.map(({ value }) => value),
      qualities: entries.map(({ quality }) => quality),
      statuses: entries.map(() => undefined),
      timestamps: entries.map(({ timestampMs }) => timestampMs),
      takenAt: entries.map(({ takenAtMs }) => takenAtMs),
      gaps: this.#gaps.filter(({ sequence }) => sequence > after && sequence <= next),
      next,
      tail: this.#tail,
    };
  }

  #push({ asset, channel = 'value', valueType = 'DOUBLE', quality = 'GOOD', ...given }: TakenSample): number {
    const sequence = this.#tail;
    const value = 'value' in given ? given.value : sequence;
    const { timestampMs = sequence, takenAtMs = sequence } = given;
    this.#entries.push({ sequence, asset, channel, value, valueType, quality, timestampMs, takenAtMs });
    this.#wake();
    return sequence;
  }

  async #answer<T>(act: () => T): Promise<T> {
    await Promise.resolve();
    if (this.#failure !== undefined) throw this.#failure;
    return act();
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }

  #when(isReached: () => boolean): Promise<void> {
    return this.#whenOrAborted(isReached, undefined);
  }

  #whenOrAborted(isReached: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(look);
        reject(signal?.reason as Error);
      };
      const look = (): void => {
        if (!isReached()) return;
        this.#waiting.delete(look);
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(look);
      look();
    });
  }
}
