import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import type { Rest } from '../api/rest.ts';
import { ChannelHistory } from './history.ts';
import type { LiveRecord, StreamNews } from './stream-messages.ts';
import { ValueStream } from './value-stream.ts';

/** What is known of a channel. */
export interface LiveValue {
  readonly record: LiveRecord;
  /** The last record with a value, which stays when a read fails. */
  readonly lastGood: LiveRecord | undefined;
  /** When the shown value changed last on this page; 0: not since it was opened. */
  readonly changedMs: number;
}

/** How the stream does. */
export interface StreamState {
  readonly kind: 'OPENING' | 'LIVE' | 'LOST';
  /** Why it was lost, in the words of the gateway. */
  readonly reason: string;
  readonly sinceMs: number;
}

// Eyes follow four texts a second, and painting more often costs battery.
const PAINT_MS = 250;
// At most how often the gateway tells of a channel.
const INTERVAL_MS = 1000;

/** The values of the assets that a page shows, over one stream that a worker receives. */
export class LiveValues {
  /** Counts up, at most four times a second, when something that may be shown has changed. */
  readonly #paint = signal(0);
  readonly #state = signal<StreamState>({ kind: 'OPENING', reason: '', sinceMs: Date.now() });
  readonly #values = new Map<string, LiveValue>();
  readonly #histories = new Map<string, ChannelHistory>();
  readonly #stream: ValueStream;
  #painted: ReturnType<typeof setTimeout> | undefined;
  /** When something came last, also a mere sign of life. */
  heardMs = 0;

  constructor(rest: Rest) {
    this.#stream = new ValueStream(rest, (news) => this.#take(news));
  }

  get paint(): ReadonlySignal<number> {
    return this.#paint;
  }

  get state(): ReadonlySignal<StreamState> {
    return this.#state;
  }

  /** Listens to these assets from now on, and to no others. */
  async listen(assets: readonly string[]): Promise<void> {
    this.stop();
    this.#state.value = { kind: 'OPENING', reason: '', sinceMs: Date.now() };
    if (assets.length > 0) {
      await this.#stream.open(
        new URLSearchParams({ assets: assets.join(','), minimumIntervalMs: String(INTERVAL_MS) }),
      );
    }
  }

  /** Stops listening; what was heard stays, and from now on nobody knows more. */
  stop(): void {
    this.#noteGap(undefined);
    this.#stream.close();
    clearTimeout(this.#painted);
    this.#painted = undefined;
  }

  find(asset: string, channel: string): LiveValue | undefined {
    return this.#values.get(keyOf(asset, channel));
  }

  historyOf(asset: string, channel: string): ChannelHistory | undefined {
    return this.#histories.get(keyOf(asset, channel));
  }

  #take(news: StreamNews): void {
    switch (news.kind) {
      case 'RECORDS':
        this.heardMs = Date.now();
        for (const record of news.records) this.#note(record, this.heardMs);
        this.#become('LIVE', '');
        this.#plan();
        return;
      case 'HEARD':
        this.heardMs = Date.now();
        // A stream that has just been opened has told nothing yet; one that goes on tells what has changed.
        if (this.#state.value.kind === 'LOST') this.#become('LIVE', '');
        return;
      case 'GAP':
        this.#noteGap(news.asset);
        // What is there is a former value until it is told anew.
        this.#become('OPENING', '');
        this.#plan();
        return;
      case 'LOST':
        this.#noteGap(undefined);
        this.#become('LOST', news.reason);
        this.#plan();
    }
  }

  #noteGap(asset: string | undefined): void {
    for (const [key, history] of this.#histories) {
      if (asset === undefined || key.startsWith(`${asset}\n`)) history.add(Date.now(), Number.NaN);
    }
  }

  #note(record: LiveRecord, nowMs: number): void {
    const key = keyOf(record.asset, record.name);
    const before = this.#values.get(key);
    const isGood = record.channelStatus.channelFlag === 'SUCCESS';
    const isChange = before !== undefined && before.record.value !== record.value;
    this.#values.set(key, {
      record,
      lastGood: isGood ? record : before?.lastGood,
      changedMs: isChange ? nowMs : (before?.changedMs ?? 0),
    });
    const history = this.#histories.get(key) ?? new ChannelHistory();
    this.#histories.set(key, history);
    history.add(isGood ? record.timestamp : nowMs, isGood ? toNumber(record.value) : Number.NaN);
  }

  #become(kind: StreamState['kind'], reason: string): void {
    if (this.#state.value.kind === kind && kind !== 'LOST') return;
    this.#state.value = { kind, reason, sinceMs: Date.now() };
  }

  #plan(): void {
    this.#painted ??= setTimeout(() => {
      this.#painted = undefined;
      this.#paint.value += 1;
    }, PAINT_MS);
  }
}

function keyOf(asset: string, channel: string): string {
  return `${asset}\n${channel}`;
}

function toNumber(value: LiveRecord['value']): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? value : Number(value);
}
