import type { BundleJournal, JournalBatch } from '../../daemon/software/bundle/runner/context.ts';

interface Entry {
  readonly sequence: number;
  readonly asset: string;
  readonly channel: string;
  readonly value: number;
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
  readonly #waiting = new Set<() => void>();

  /** Takes a sample, and skips numbers as samples of other recorders do. */
  take(asset: string, channel = 'value', skipped = 0): number {
    this.#tail += 1 + skipped;
    this.#entries.push({ sequence: this.#tail, asset, channel, value: this.#tail });
    this.#wake();
    return this.#tail;
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
    const names = [...new Set(entries.map(({ asset, channel }) => `${asset}/${channel}`))];
    return {
      series: names.map((name) => {
        const [asset = '', channel = ''] = name.split('/');
        return { asset, channel, valueType: 'DOUBLE' };
      }),
      sequences: entries.map(({ sequence }) => sequence),
      seriesIndexes: entries.map(({ asset, channel }) => names.indexOf(`${asset}/${channel}`)),
      values: entries.map(({ value }) => value),
      qualities: entries.map(() => 'GOOD'),
      statuses: entries.map(() => undefined),
      timestamps: entries.map(({ sequence }) => sequence),
      takenAt: entries.map(({ sequence }) => sequence),
      gaps: this.#gaps.filter(({ sequence }) => sequence > after && sequence <= next),
      next,
      tail: this.#tail,
    };
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
